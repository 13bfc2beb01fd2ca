"""One value of a setting, checked: what it means, or one line that says what was expected.

Each key has one function here, from the place and the value as it was written to the value as it
is meant; `KEYS` is the list of keys that a configuration file may have.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeVar, get_args

from attncheck.finding import Severity
from attncheck.record import record
from attncheck.settings import Convention, Pairs, SettingsError, git_patterns, nearest

if TYPE_CHECKING:
    from attncheck.algebra.size import Size, Symbol

T = TypeVar("T", bound=str)

_BARE_KEY: Final = re.compile(r"[A-Za-z0-9_-]+")
_WORD: Final = re.compile(r"[^\W\d]\w*")
#: The table's symbol that has two spellings.
_SYNONYMS: Final = ("B",)
#: As much of a wrong value as is shown.
_SHOWN: Final = 60


@record
class Place:
    """Where a value was written, for messages: a file and its key, or an option."""

    source: str
    key: str = ""

    def __getitem__(self, key: str) -> Place:
        quoted = key if _BARE_KEY.fullmatch(key) else f'"{key}"'
        return Place(self.source, f"{self.key}.{quoted}" if self.key else quoted)

    def entry(self, name: str, value: object) -> Place:
        """The place of one entry of a table, or of one use of an option that holds pairs."""
        return self[name] if self.key else Place(f"{self.source} {name}={value}")

    def error(self, expected: str, *got: object) -> SettingsError:
        """The one line: where, what was expected, and what stands there instead."""
        where = f"{self.source}: {self.key}" if self.key else self.source
        return SettingsError(f"{where}: {expected}{''.join(f', not {_toml(it)}' for it in got)}")


def _toml(value: object) -> str:
    """A value about as TOML writes it, cut short."""
    import json

    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _SHOWN else text[:_SHOWN] + " …"


def strings(place: Place, value: object) -> tuple[str, ...]:
    """A list of strings."""
    if not isinstance(value, list | tuple) or not all(isinstance(item, str) for item in value):
        raise place.error("expected a list of strings", value)
    return tuple(value)


def selectors(place: Place, value: object) -> tuple[str, ...]:
    """A list of rules: names, codes or the beginnings of codes."""
    found = strings(place, value)
    for each in found:
        _check_selector(place, each)
    return found


def _check_selector(place: Place, selector: str) -> None:
    from attncheck.rule import all_rules, select_rules

    if not select_rules(selector):
        names = (word for rule in all_rules() for word in (rule.name, rule.code))
        hint = nearest(selector, names, listed=False) or "; see `attncheck rules`"
        raise place.error(f"there is no rule `{selector}`{hint}")


def patterns(place: Place, value: object) -> tuple[str, ...]:
    """A list of patterns as in a gitignore file."""
    found = strings(place, value)
    for each in found:
        _check_pattern(place, each)
    return found


def _check_pattern(place: Place, pattern: str) -> None:
    try:
        git_patterns((pattern,))
    except ValueError:
        raise place.error(f"`{pattern}` is no pattern of a gitignore file") from None


def per_file_ignores(place: Place, value: object) -> dict[str, tuple[str, ...]]:
    """Patterns of files, each with the rules that are off there."""
    found = {}
    for pattern, said in _table(place, value, "a table of patterns and lists of rules").items():
        _check_pattern(place, pattern)
        found[pattern] = selectors(place[pattern] if place.key else place, said)
    return found


def severities(place: Place, value: object) -> dict[str, Severity]:
    """Rules, each with the severity of its findings."""
    found: dict[str, Severity] = {}
    for selector, said in _table(place, value, "a table of rules and severities").items():
        at = place.entry(selector, said)
        _check_selector(at, selector)
        found[selector] = _one_of(at, said, get_args(Severity))
    return found


def convention(place: Place, value: object) -> Convention:
    """The paper whose time steps the code keeps to."""
    return _one_of(place, value, get_args(Convention))


def _one_of(place: Place, value: object, names: tuple[T, ...]) -> T:
    for name in names:
        if value == name:
            return name
    *most, last = (f'"{name}"' for name in names)
    expected = f"expected {', '.join(most)} or {last}"
    if isinstance(value, str):
        raise place.error(f"{expected}, not `{value}`{nearest(value, names, listed=False)}")
    raise place.error(expected, value)


def text(place: Place, value: object) -> str:
    """A path."""
    if not isinstance(value, str) or not value:
        raise place.error("expected the path of a configuration file", value)
    return value


def dims(place: Place, value: object) -> dict[str, str]:
    """Symbols with their sizes, as far as one can be judged without the others."""
    sizes = {}
    for name, size in _table(place, value, "a table of sizes").items():
        at = place.entry(name, size)
        if not name.isidentifier():
            raise at.error(f"the name of a size is an identifier, which `{name}` is not")
        if isinstance(size, bool) or not isinstance(size, int | str):
            raise at.error('expected an integer or an expression such as "2*d_hidden"', size)
        sizes[name] = str(size).strip()
    return sizes


def tensors(place: Place, value: object) -> dict[str, str]:
    """Tensors with their shapes."""
    from attncheck.algebra.notation import parse_shape
    from attncheck.evidence.declarations import tensor_name

    shapes = {}
    for name, shape in _table(place, value, "a table of tensors and their shapes").items():
        at = place.entry(name, shape)
        known = tensor_name(name)
        if known is None:
            raise at.error(
                f'expected NAME, FUNCTION.NAME, CLASS.METHOD.NAME or NAME["KEY"], not `{name}`'
            )
        if not isinstance(shape, str) or parse_shape(shape, _symbol) is None:
            raise at.error('expected a shape such as "T_enc d_h" or "(T_enc, d_h)"', shape)
        shapes[known] = shape.strip()
    return shapes


def _table(place: Place, value: object, what: str) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise place.error(f"expected {what}", value)
    return value


KEYS: Final[dict[str, Callable[[Place, object], object]]] = {
    "extend": text,
    "select": selectors,
    "extend-select": selectors,
    "ignore": selectors,
    "extend-ignore": selectors,
    "per-file-ignores": per_file_ignores,
    "severity": severities,
    "exclude": patterns,
    "extend-exclude": patterns,
    "convention": convention,
    "dims": dims,
    "tensors": tensors,
}


def check_sizes(sizes: Pairs, place_of: Callable[[str], Place]) -> None:
    """Judge sizes together, since they may use one another. Raises `SettingsError`."""
    if not sizes:
        return
    from attncheck.table import SYMBOLS

    dims = dict(sizes)
    known = {*SYMBOLS, *_SYNONYMS, *dims}
    for name, size in sizes:
        for word in _WORD.findall(size):
            if word not in known:
                hint = nearest(word, sorted(known - {name, *_SYNONYMS}))
                expected = "expected an integer or an expression over known sizes"
                raise place_of(name).error(f"{expected}, not `{word}`{hint}")
        parsed = _parse_size(size)
        number = None if parsed is None else parsed.number
        if parsed is None or (number is not None and number < 1):
            expected = "expected a positive integer or an expression such as 2*d_hidden"
            raise place_of(name).error(f"{expected}, not `{size}`")
        if _leads_to(name, name, dims):
            raise place_of(name).error(f"`{name}` is defined by itself")


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


def _symbol(name: str) -> Symbol:
    from attncheck.algebra.size import Symbol

    return Symbol(name)
