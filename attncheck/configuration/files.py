"""Configuration files: which one counts for a folder, what it says, and which others it extends.

The nearest `attncheck.toml`, or `pyproject.toml` with a table ``[tool.attncheck]``, counts, alone:
what a folder above says holds only if the nearer file extends it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from attncheck.configuration.layers import Layer, Overrides, command_line, settings_of
from attncheck.configuration.values import KEYS, Place
from attncheck.settings import Settings, SettingsError, nearest

OWN: Final = "attncheck.toml"
PYPROJECT: Final = "pyproject.toml"


@dataclass(frozen=True, slots=True)
class _Table:
    """attncheck's table of one file, and where it stands, for messages."""

    file: Path
    place: Place
    values: Mapping[str, object]


class SettingsFinder:
    """The settings of each folder: those of the nearest configuration file, then the command line.

    `config` names one file for all folders instead; with `isolated` none is read.
    """

    def __init__(
        self, overrides: Overrides, config: Path | None = None, *, isolated: bool = False
    ) -> None:
        self._overrides = overrides
        self._config = config
        self._isolated = isolated
        self._by_file: dict[Path | None, Settings] = {}
        self._nearest: dict[Path, Path | None] = {}

    def settings(self, folder: str) -> Settings:
        """The settings in force in `folder`. Raises `SettingsError`."""
        file = self._config if self._config or self._isolated else self._find(Path(folder))
        if file not in self._by_file:
            layers = [] if file is None else read_layers(file)
            self._by_file[file] = settings_of([*layers, command_line(self._overrides)])
        return self._by_file[file]

    def _find(self, folder: Path) -> Path | None:
        folder = Path(os.path.abspath(folder))
        passed = []
        found: Path | None = None
        for place in (folder, *folder.parents):
            if place in self._nearest:
                found = self._nearest[place]
                break
            passed.append(place)
            tables = (_table(place / name, required=False) for name in (OWN, PYPROJECT))
            table = next((each for each in tables if each is not None), None)
            if table is not None:
                found = table.file
                break
        self._nearest |= dict.fromkeys(passed, found)
        return found


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


def _table(file: Path, *, required: bool, asked_by: Place | None = None) -> _Table | None:
    """The table of a file, or None if there is none and none is `required`.

    A file that is not called ``pyproject.toml`` is that table as a whole, unless it has one.
    """
    shown = _shown(file)
    own = file.name != PYPROJECT
    try:
        data = file.read_bytes()
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, PermissionError) as error:
        if not required and not (own and isinstance(error, PermissionError)):
            return None
        raise _unreadable(shown, error, asked_by) from None
    except OSError as error:
        raise _unreadable(shown, error, asked_by) from None
    if b"attncheck" not in data and not required and not own:
        return None
    document = _parse(data, shown)
    tool = document.get("tool", {})
    table = tool.get("attncheck") if isinstance(tool, dict) else None
    if table is not None:
        if not isinstance(table, dict):
            raise Place(shown, "tool.attncheck").error("expected a table", table)
        return _Table(file, Place(shown, "tool.attncheck"), table)
    if own:
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
