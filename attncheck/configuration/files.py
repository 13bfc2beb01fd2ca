"""Configuration files: what one says, and what those say that it extends."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from attncheck.configuration.finder import PYPROJECT
from attncheck.configuration.layers import Layer
from attncheck.configuration.values import KEYS, Place
from attncheck.record import record
from attncheck.settings import SettingsError, nearest


@record
class _Table:
    """attncheck's table of one file, and where it stands, for messages."""

    file: Path
    place: Place
    values: Mapping[str, object]


def read_layers(file: Path) -> list[Layer]:
    """What a configuration file and those that it extends say, the nearest one last.

    Raises `SettingsError`.
    """
    layers: list[Layer] = []
    asked_by: Place | None = None
    seen: set[str] = set()
    while True:
        table = _table(file, required=True, asked_by=asked_by)
        assert table is not None
        if os.path.realpath(file) in seen:
            raise table.place["extend"].error("these files extend each other in a circle")
        seen.add(os.path.realpath(file))
        values = _checked(table)
        extended = values.pop("extend", None)
        folder = Path(os.path.abspath(file)).parent
        layers.insert(0, Layer(str(folder), values, table.place))
        if extended is None:
            return layers
        asked_by = table.place["extend"]
        file = folder / os.path.expanduser(str(extended))


def _checked(table: _Table) -> dict[str, object]:
    """The values of a table, each as its key wants it."""
    values = {}
    for key, value in table.values.items():
        reader = KEYS.get(key)
        if reader is None:
            where = f"[{table.place.key}] has" if table.place.key else "there is"
            hint = nearest(key, KEYS)
            raise SettingsError(f"{table.place.source}: {where} no key `{key}`{hint}")
        values[key] = reader(table.place[key], value)
    return values


def has_table(file: Path) -> bool:
    """Whether a file is a configuration of attncheck. Raises `SettingsError`."""
    return _table(file, required=False) is not None


def _table(file: Path, *, required: bool, asked_by: Place | None = None) -> _Table | None:
    """The table of a file, or None if there is none and none is `required`.

    A file that is not called ``pyproject.toml`` is that table as a whole, unless it has one.
    """
    shown = _shown(file)
    try:
        data = file.read_bytes()
    except OSError as error:
        raise _unreadable(shown, error, asked_by) from None
    document = _parse(data, shown)
    tool = document.get("tool", {})
    table = tool.get("attncheck") if isinstance(tool, dict) else None
    if table is not None:
        if not isinstance(table, dict):
            raise Place(shown, "tool.attncheck").error("expected a table", table)
        return _Table(file, Place(shown, "tool.attncheck"), table)
    if file.name != PYPROJECT:
        return _Table(file, Place(shown), document)
    if required:
        raise _missing(shown, asked_by)
    return None


def _parse(data: bytes, shown: str) -> dict[str, object]:
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"{shown}: not valid TOML: {error}") from None
    except RecursionError:
        raise SettingsError(f"{shown}: not valid TOML: nested too deeply") from None


def _unreadable(shown: str, error: OSError, asked_by: Place | None) -> SettingsError:
    if asked_by is not None:
        return asked_by.error(f"{shown} cannot be read: {error.strerror}")
    return SettingsError(f"{shown}: cannot be read: {error.strerror}")


def _missing(shown: str, asked_by: Place | None) -> SettingsError:
    if asked_by is not None:
        return asked_by.error(f"{shown} has no table [tool.attncheck]")
    return SettingsError(f"{shown}: has no table [tool.attncheck]")


def _shown(file: Path) -> str:
    relative = os.path.relpath(file)
    return os.path.abspath(file) if relative.startswith("..") else relative
