"""What the user has set: the nearest `pyproject.toml`, then the command line, as frozen `Settings`.

Nothing bad gets through: a `Settings` made by `SettingsFinder` names only rules that exist and
sizes that mean something, and everything else is one line of `SettingsError` that says which file
or option, which key, what was expected, and the nearest valid name.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, cast, get_args

if TYPE_CHECKING:
    from attncheck.algebra.size import Size, Symbol

Convention: TypeAlias = Literal["bahdanau", "luong"]
Pairs: TypeAlias = tuple[tuple[str, str], ...]

_WORD: Final = re.compile(r"[^\W\d]\w*")
#: The table's symbol that has two spellings.
_SYNONYMS: Final = ("B",)


class SettingsError(Exception):
    """A setting that is wrong: one line that says where, what was expected, and what is near."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set; the defaults are those of a run without any configuration.

    ``dims`` are (symbol, size or expression) and ``tensors`` (NAME, FUNCTION.NAME or
    CLASS.METHOD.NAME, shape); ``origins`` says for ``dims.NAME`` and ``tensors.NAME`` where each
    comes from. Patterns are those of a gitignore file, relative to ``root``.
    """

    select: tuple[str, ...] = ("ATN",)
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    exclude: tuple[str, ...] = ()
    dims: Pairs = ()
    tensors: Pairs = ()
    convention: Convention | None = None
    origins: Pairs = ()
    root: str = ""
    #: the configuration file that was read, as it is shown
    file: str | None = None

    def origin(self, key: str) -> str | None:
        """Where ``dims.NAME`` or ``tensors.NAME`` was set; None if it was not."""
        return dict(self.origins).get(key)

    def enabled(self, path: str) -> frozenset[str]:
        """The codes of the rules that are on for the file at `path`."""
        ignored: list[str] = []
        for pattern, selectors in self.per_file_ignores:
            if matches((pattern,), self.root, path):
                ignored += selectors
        return _codes(self.select + self.extend_select) - _codes((*self.ignore, *ignored))


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says. ``select`` None means that it does not say which rules."""

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    dims: tuple[str, ...] = ()
    tensors: tuple[str, ...] = ()


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
            base = Settings(root=os.getcwd()) if file is None else read_settings(file)
            self._by_file[file] = _checked(override(base, self._overrides))
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
            if _table(place / "pyproject.toml", required=False) is not None:
                found = place / "pyproject.toml"
                break
        self._nearest |= dict.fromkeys(passed, found)
        return found


def read_settings(file: Path) -> Settings:
    """The settings of one configuration file. Raises `SettingsError`."""
    table = _table(file, required=True)
    shown = _shown(file)
    settings = Settings(root=str(Path(os.path.abspath(file)).parent), file=shown)
    for key, value in (table or {}).items():
        reader = _READERS.get(key)
        if reader is None:
            wanted = nearest(key, _READERS)
            raise SettingsError(f"{shown}: [tool.attncheck] has no key `{key}`{wanted}")
        settings = reader(settings, _Place(shown, key), value)
    return settings


def override(settings: Settings, said: Overrides) -> Settings:
    """`settings` with what the command line says put in or in place of them.

    A ``--select`` is nearer than the file's ``ignore``, which it therefore replaces as well.
    """
    if said.select is not None:
        select = _selectors(_Place("--select"), list(said.select))
        settings = replace(settings, select=select, extend_select=(), ignore=())
    _check_patterns(_Place("--exclude"), said.exclude)
    settings = replace(
        settings,
        extend_select=settings.extend_select
        + _selectors(_Place("--extend-select"), list(said.extend_select)),
        ignore=settings.ignore + _selectors(_Place("--ignore"), list(said.ignore)),
        exclude=settings.exclude + said.exclude,
    )
    settings = _dims(settings, _Place("--dim"), _assignments("--dim", said.dims, "d_s=256"))
    tensors = _assignments("--tensor", said.tensors, "encoder_states=T_enc d_h")
    return _tensors(settings, _Place("--tensor"), tensors)


def table_rows(settings: Settings) -> list[tuple[str, str, str | None, str, str]]:
    """Every symbol and tensor in force: kind, name, value if it has one, meaning, origin."""
    from attncheck.table import SYMBOLS

    values = dict(settings.dims)
    rows = []
    for name in dict.fromkeys((*SYMBOLS, *values)):
        origin = settings.origin(f"dims.{name}") or "built in"
        rows.append(("size", name, values.get(name), SYMBOLS.get(name, ""), origin))
    for name, shape in settings.tensors:
        rows.append(("tensor", name, shape, "", settings.origin(f"tensors.{name}") or ""))
    return rows


def nearest(word: str, words: Iterable[str], *, listed: bool = True) -> str:
    """``; did you mean `x`?``, or, if nothing is near, what there is; empty if not `listed`."""
    import difflib

    known = list(words)
    lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), lower, n=1)
    if near:
        return f"; did you mean `{lower[near[0]]}`?"
    return f"; known are {', '.join(known)}" if listed else ""


def matches(patterns: tuple[str, ...], root: str, path: str, slash: str = "") -> bool:
    """Whether a gitignore-style pattern, relative to `root`, matches a path.

    `slash` is ``/`` for a folder and empty for a file.
    """
    if not patterns:
        return False
    inside = os.path.relpath(path, root or None).replace(os.sep, "/")
    return _spec(patterns)(inside + slash)


@functools.cache
def _spec(patterns: tuple[str, ...]) -> Callable[[str], bool]:
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(patterns).match_file


@functools.cache
def _codes(selectors: tuple[str, ...]) -> frozenset[str]:
    """The codes that selectors mean; ``ATN`` is every rule that is on by default."""
    from attncheck.rule import select_rules

    return frozenset(
        rule.code
        for selector in selectors
        for rule in select_rules(selector)
        if rule.default or selector.upper() != "ATN"
    )


# -- reading and checking one value ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a value was written, for messages: a file and its key, or an option."""

    source: str
    key: str = ""

    def __getitem__(self, key: str) -> _Place:
        return _Place(self.source, f"{self.key}.{key}" if self.key else key)

    def error(self, expected: str, got: object = None) -> SettingsError:
        got = "" if got is None else f", not {got!r}"
        where = f"{self.source}: tool.attncheck.{self.key}" if self.key else self.source
        return SettingsError(f"{where}: {expected}{got}")


def _table(file: Path, *, required: bool) -> Mapping[str, object] | None:
    """The ``[tool.attncheck]`` table of a file, or None if there is none."""
    try:
        data = file.read_bytes()
    except OSError as error:
        if not required:
            return None
        raise SettingsError(f"{file}: cannot be read: {error.strerror}") from None
    if b"attncheck" not in data and not required:
        return None
    import tomllib

    shown = _shown(file)
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise SettingsError(f"{shown}: not valid TOML: {str(error) or 'too deep'}") from None
    tool = document.get("tool", {})
    table = tool.get("attncheck") if isinstance(tool, dict) else None
    if table is None:
        if required:
            raise SettingsError(f"{shown}: has no table [tool.attncheck]")
        return None
    if not isinstance(table, dict):
        raise SettingsError(f"{shown}: tool.attncheck must be a table, not {table!r}")
    return table


def _shown(file: Path) -> str:
    relative = os.path.relpath(file)
    return str(file) if relative.startswith("..") else relative


def _strings(place: _Place, value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise place.error("expected a list of strings", value)
    return tuple(value)


def _selectors(place: _Place, value: object) -> tuple[str, ...]:
    selectors = _strings(place, value)
    if not selectors:
        return ()
    from attncheck.rule import all_rules, select_rules

    for selector in selectors:
        if not select_rules(selector):
            names = (word for rule in all_rules() for word in (rule.name, rule.code))
            hint = nearest(selector, names, listed=False) or "; see `attncheck rules`"
            raise place.error(f"there is no rule `{selector}`{hint}")
    return selectors


def _read_select(settings: Settings, place: _Place, value: object) -> Settings:
    return replace(settings, select=_selectors(place, value))


def _read_extend_select(settings: Settings, place: _Place, value: object) -> Settings:
    return replace(settings, extend_select=_selectors(place, value))


def _read_ignore(settings: Settings, place: _Place, value: object) -> Settings:
    return replace(settings, ignore=_selectors(place, value))


def _read_exclude(settings: Settings, place: _Place, value: object) -> Settings:
    patterns = _strings(place, value)
    _check_patterns(place, patterns)
    return replace(settings, exclude=patterns)


def _read_per_file(settings: Settings, place: _Place, value: object) -> Settings:
    if not isinstance(value, dict):
        raise place.error("expected a table of patterns and lists of rules", value)
    _check_patterns(place, tuple(value))
    pairs = tuple((pattern, _selectors(place[pattern], said)) for pattern, said in value.items())
    return replace(settings, per_file_ignores=pairs)


def _check_patterns(place: _Place, patterns: tuple[str, ...]) -> None:
    for pattern in patterns:
        try:
            _spec((pattern,))
        except ValueError:
            raise place.error(f"`{pattern}` is no pattern of a gitignore file") from None


def _read_convention(settings: Settings, place: _Place, value: object) -> Settings:
    names = get_args(Convention)
    if value not in names:
        raise place.error(f"expected {' or '.join(map(repr, names))}", value)
    return replace(settings, convention=cast(Convention, value))


def _dims(settings: Settings, place: _Place, value: object) -> Settings:
    if not isinstance(value, dict):
        raise place.error("expected a table of sizes", value)
    sizes = {}
    for name, size in value.items():
        at = place[name] if place.key else _Place(f"{place.source} {name}={size}")
        if not name.isidentifier():
            raise at.error(f"the name of a size is an identifier, which `{name}` is not")
        if isinstance(size, bool) or not isinstance(size, int | str):
            raise at.error('expected an integer or an expression such as "2*d_hidden"', size)
        sizes[name] = str(size).strip()
    return _with(settings, "dims", settings.dims, place, sizes)


def _tensors(settings: Settings, place: _Place, value: object) -> Settings:
    if not isinstance(value, dict):
        raise place.error("expected a table of tensors and their shapes", value)
    shapes = {}
    for name, shape in value.items():
        at = place[name] if place.key else _Place(f"{place.source} {name}={shape}")
        parts = name.split(".")
        if len(parts) > 3 or not all(part.isidentifier() for part in parts):
            raise at.error(f"expected NAME, FUNCTION.NAME or CLASS.METHOD.NAME, not `{name}`")
        if not isinstance(shape, str) or _parse_shape(shape) is None:
            raise at.error('expected a shape such as "T_enc d_h" or "(T_enc, d_h)"', shape)
        shapes[name] = shape.strip()
    return _with(settings, "tensors", settings.tensors, place, shapes)


def _with(
    settings: Settings, kind: str, old: Pairs, place: _Place, new: Mapping[str, str]
) -> Settings:
    """`settings` with more entries of a kind, which replace older ones of the same name."""
    pairs = tuple({**dict(old), **new}.items())
    origins = tuple((dict(settings.origins) | {f"{kind}.{n}": place.source for n in new}).items())
    if kind == "dims":
        return replace(settings, dims=pairs, origins=origins)
    return replace(settings, tensors=pairs, origins=origins)


def _assignments(option: str, said: tuple[str, ...], example: str) -> dict[str, str]:
    found = {}
    for text in said:
        name, equals, value = text.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise SettingsError(f"{option} {text}: expected NAME=VALUE, such as {example}")
        found[name.strip()] = value.strip()
    return found


def _checked(settings: Settings) -> Settings:
    """The settings, if every size is one: checked together, since they may use one another."""
    if not settings.dims:
        return settings
    from attncheck.table import SYMBOLS

    known = {*SYMBOLS, *_SYNONYMS, *dict(settings.dims)}
    for name, size in settings.dims:
        for word in _WORD.findall(size):
            if word not in known:
                hint = nearest(word, sorted(known - {name, *_SYNONYMS}))
                expected = "expected an integer or an expression over known sizes"
                raise _dim_place(settings, name, size).error(f"{expected}, not `{word}`{hint}")
        parsed = _parse_size(size)
        number = None if parsed is None else parsed.number
        if parsed is None or (number is not None and number < 1):
            expected = "expected a positive integer or an expression such as 2*d_hidden"
            raise _dim_place(settings, name, size).error(expected, size)
        if _leads_to(name, name, dict(settings.dims)):
            raise _dim_place(settings, name, size).error(f"`{name}` is defined by itself")
    return settings


def _dim_place(settings: Settings, name: str, size: str) -> _Place:
    origin = settings.origin(f"dims.{name}") or ""
    if origin.startswith("--"):
        return _Place(f"{origin} {name}={size}")
    return _Place(origin, f"dims.{name}")


def _leads_to(start: str, goal: str, dims: Mapping[str, str]) -> bool:
    """Whether the definition of `start` uses `goal`, itself or through other definitions."""
    seen: set[str] = set()
    todo = [start]
    while todo:
        for word in _WORD.findall(dims.get(todo.pop(), "")):
            if word == goal:
                return True
            if word not in seen:
                seen.add(word)
                todo.append(word)
    return False


def _parse_size(text: str) -> Size | None:
    from attncheck.algebra.notation import parse_size

    return parse_size(text, _symbol)


def _parse_shape(text: str) -> object:
    from attncheck.algebra.notation import parse_shape

    return parse_shape(text, _symbol)


def _symbol(name: str) -> Symbol:
    from attncheck.algebra.size import Symbol

    return Symbol(name)


_READERS: Final[dict[str, Callable[[Settings, _Place, object], Settings]]] = {
    "select": _read_select,
    "extend-select": _read_extend_select,
    "ignore": _read_ignore,
    "per-file-ignores": _read_per_file,
    "exclude": _read_exclude,
    "convention": _read_convention,
    "dims": _dims,
    "tensors": _tensors,
}
