"""The arguments by which code chooses its way, and which nobody has to give."""

from __future__ import annotations

from attncheck.tracer.defaults import asked_for
from attncheck.tracer.machine import MAKING
from attncheck.values.value import NONE, Const, Function, Value, as_integer


def switches(function: Function) -> frozenset[str]:
    """The arguments of a function that choose its way by default, and need not be given.

    Those are flags, texts, and what is counted of something that may not be there at all: 0 and 1.
    What a constructor has None for by default need not be given if its class asks whether it is: it
    may have no use else.
    """
    asked = frozenset[str]()
    owner = function.owner if function.name in MAKING else None
    if owner is not None and NONE in function.defaults.values():
        asked = asked_for(owner.node)
    return frozenset(
        name
        for name, value in function.defaults.items()
        if (value == NONE and name in asked) or _is_switch(value)
    )


def _is_switch(value: Value) -> bool:
    if type(value) is Const:
        return isinstance(value.value, bool | str)
    return as_integer(value) in (0, 1)
