"""Records: classes of named fields that are never changed, as frozen dataclasses are, but cheap.

A frozen dataclass sets each field through `object.__setattr__`, which makes an object three times
as dear, and traces are made of such objects. It also takes a millisecond to define, for code that
is written and compiled; a short run defines more than a hundred of them and makes few. So here only
the type checker sees to it that nothing is set, and ``__init__`` is written when the first object
is made. `replace` copies one with other fields. In everything else a record is a dataclass:
`dataclasses.fields` knows it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from dataclasses import replace as of_dataclass
from operator import attrgetter
from typing import Any, Final, TypeVar, dataclass_transform

_Kind = TypeVar("_Kind", bound=type)
_Made = TypeVar("_Made")

_INIT: Final = "__init__"
#: What `replace` calls.
_CHANGED: Final = "_changed"


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(kind: _Kind) -> _Kind:
    """The class with slots for its fields, and with what compares, hashes and shows them."""
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(kind)
    names = tuple(each.name for each in fields(made))
    compared = _reader(tuple(each.name for each in fields(made) if each.compare))

    def __init__(self: Any, *values: object, **named: object) -> None:
        written = _initialiser(made)
        setattr(made, _INIT, written)
        written(self, *values, **named)

    def __eq__(self: Any, other: object) -> Any:
        return compared(self) == compared(other) if type(self) is type(other) else NotImplemented

    def __hash__(self: Any) -> int:
        return hash(compared(self))

    def __repr__(self: Any) -> str:
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({said})"

    def _changed(self: Any, **changes: object) -> Any:
        written = _copier(made)
        setattr(made, _CHANGED, written)
        return written(self, **changes)

    for method in (__init__, __eq__, __hash__, __repr__, _changed):
        if method.__name__ not in kind.__dict__:
            setattr(made, method.__name__, method)
    result: _Kind = made
    return result


def replace(made: _Made, /, **changes: Any) -> _Made:
    """What `dataclasses.replace` gives, of a record in a fifth of the time.

    Raises TypeError for a name that is no field, as that does.
    """
    own: Callable[..., _Made] | None = getattr(made, _CHANGED, None)
    return of_dataclass(made, **changes) if own is None else own(**changes)  # type: ignore[type-var]


def _reader(names: tuple[str, ...]) -> Callable[[Any], tuple[object, ...]]:
    """What gives the values of fields as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda self: tuple(getattr(self, name) for name in names)


def _initialiser(kind: type) -> Callable[..., None]:
    """An ``__init__`` that sets the fields in order, from arguments or defaults."""
    parameters, lines = ["self"], ["    pass"]
    known: dict[str, Any] = {"missing": MISSING}
    for each in fields(kind):
        value = each.name
        if each.default is not MISSING:
            known[f"default_{each.name}"] = each.default
            parameters.append(f"{each.name}=default_{each.name}")
        elif each.default_factory is not MISSING:
            known[f"make_{each.name}"] = each.default_factory
            parameters.append(f"{each.name}=missing")
            value = f"make_{each.name}() if {each.name} is missing else {each.name}"
        else:
            parameters.append(each.name)
        lines.append(f"    self.{each.name} = {value}")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *lines]), known)
    made: Callable[..., None] = known[_INIT]
    return made


def _copier(kind: type) -> Callable[..., Any]:
    """What makes an object of the same fields, but for those that it is given."""
    names = [each.name for each in fields(kind)]
    given = "".join(f", {name}=_missing" for name in names)
    # No field is called like one of these names.
    lines = [
        f"def {_CHANGED}(_self, /{', *' if names else ''}{given}):",
        "    _copy = _new(_kind)",
        *(f"    _copy.{name} = _self.{name} if {name} is _missing else {name}" for name in names),
        "    return _copy",
    ]
    known: dict[str, Any] = {"_missing": MISSING, "_new": object.__new__, "_kind": kind}
    exec("\n".join(lines), known)
    made: Callable[..., Any] = known[_CHANGED]
    return made
