"""Masks whose docstring says what they mean, used the other way round.

A mask that comes in as an argument is followed from where it is used back to the argument, through
casts, views, negations and comparisons with numbers, with the two values that an element may have.
"""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from attncheck.checks.view import View
from attncheck.evidence.mask_prose import MaskClaim, mask_claims
from attncheck.graph import Operand, Operation
from attncheck.meaning.elements import BINARY, UNARY, number_of, operand_of
from attncheck.meaning.positions import moved
from attncheck.meaning.uses import Use
from attncheck.operators.events import Elementwise
from attncheck.record import record
from attncheck.values.tensor import Tensor

_MOST_STEPS = 12
#: What copies or casts elements.
_COPIES = frozenset({"identity", "array", "new_array", "contiguous"})
#: Elementwise operations of one operand; of a mask of numbers ``~`` makes none.
_TURNS = {**UNARY, "invert": UNARY["logical_not"]}


@record
class Told:
    """An argument that a docstring tells of, and what an element made of it is: if true, if not."""

    name: str
    function: cst.FunctionDef
    true: float = 1.0
    false: float = 0.0


def told_otherwise(use: Use, view: View) -> tuple[Told, MaskClaim] | None:
    """The argument that a use reads the other way round than its docstring, and what that says."""
    told = _read(use.operand, use.operation, view, 0)
    claim = None if told is None else view.once(_claims)(told.function).get(told.name)
    if told is None or claim is None:
        return None
    hidden, seen = (told.true, told.false) if claim.hides else (told.false, told.true)
    return (told, claim) if use.hides(seen) and not use.hides(hidden) else None


def _read(operand: Operand | None, user: Operation, view: View, depth: int) -> Told | None:
    """The argument that an operand of an operation is made of, the same in every branch."""
    if operand is None or not isinstance(operand.value, Tensor) or depth > _MOST_STEPS:
        return None
    found = [
        _argument(operand, user) if made is None else _through(made, view, depth)
        for made in view.graph.makers(operand.value)
    ]
    return found[0] if len(set(found)) == 1 else None


def _argument(operand: Operand, user: Operation) -> Told | None:
    """The argument of its function that an operand is, by its name."""
    function, node = user.place.node, operand.node
    if not isinstance(function, cst.FunctionDef) or not isinstance(node, cst.Name):
        return None
    return Told(node.value, function) if node.value in _parameters(function) else None


def _through(made: Operation, view: View, depth: int) -> Told | None:
    event = made.event
    first = next((operand for operand, _ in made.tensors()), None)
    if moved(made) is not None or made.kind in _COPIES:
        return _read(first, made, view, depth + 1)
    if not isinstance(event, Elementwise):
        return None
    if event.symbol in _TURNS:
        turn = _TURNS[event.symbol]
        told = _read(first, made, view, depth + 1)
        return told and replace(told, true=float(turn(told.true)), false=float(turn(told.false)))
    return _with_number(made, event.symbol, view, depth)


def _with_number(made: Operation, symbol: str, view: View, depth: int) -> Told | None:
    """``mask == 0``, ``1 - mask``."""
    function = BINARY.get(symbol)
    x, y = operand_of(made, "x"), operand_of(made, "y")
    numbers = number_of(x), number_of(y)
    if function is None or (numbers[0] is None) == (numbers[1] is None):
        return None
    told = _read(x if numbers[0] is None else y, made, view, depth + 1)
    if told is None:
        return None
    sides = [[value if n is None else n for n in numbers] for value in (told.true, told.false)]
    try:
        true, false = (float(function(left, right)) for left, right in sides)
    except (ArithmeticError, ValueError):
        return None
    return replace(told, true=true, false=false)


class _Claims(dict[cst.FunctionDef, dict[str, MaskClaim]]):
    """What the docstring of each function says of its masks, read once."""

    def __call__(self, function: cst.FunctionDef) -> dict[str, MaskClaim]:
        if function not in self:
            text = function.get_docstring() or ""
            self[function] = mask_claims(text, _parameters(function))
        return self[function]


def _claims(_: View) -> _Claims:
    return _Claims()


def _parameters(function: cst.FunctionDef) -> list[str]:
    parameters = function.params
    listed = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    return [parameter.name.value for parameter in listed]
