"""Masks that come in as arguments, used the other way round than the function says elsewhere.

What says so is its docstring, or another place that uses the same argument on the same attention,
or in the other of two ways to attend. A mask is followed from its use back to the argument, through
casts, views, negations and comparisons with numbers, with the two values an element may have.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

import libcst as cst

from attncheck.checks.view import View
from attncheck.evidence.mask_prose import MaskClaim, mask_claims
from attncheck.graph import Operand, Operation
from attncheck.meaning.elements import BINARY, UNARY, number_of, operand_of
from attncheck.meaning.positions import moved
from attncheck.meaning.uses import Use
from attncheck.operators.events import COPYING, Elementwise
from attncheck.record import record, replace
from attncheck.source import Source
from attncheck.tree.pairs import parameter_names
from attncheck.values.tensor import Tensor
from attncheck.values.value import FORWARD

_MOST_STEPS = 12
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
    for told in arguments_of(use, view):
        claim = view.once(_claims)(told.function).get(told.name)
        if claim is None:
            continue
        hidden, seen = (told.true, told.false) if claim.hides else (told.false, told.true)
        if use.hides(seen) and not use.hides(hidden):
            return told, claim
    return None


#: Names that say of a mask that it is true for what may be seen.
_SEEN = re.compile(r"(?:is_)?(?:valid|visible|keep)(?:_?mask)?|(?:\w+_)?valid_mask|keep_\w*mask")


def named_otherwise(use: Use, view: View) -> Told | None:
    """The argument that a use hides where it is true, though its name says that it is seen."""
    for told in arguments_of(use, view):
        hides = use.hides(told.true) and not use.hides(told.false)
        if hides and _SEEN.fullmatch(told.name.lower()):
            return told
    return None


def used_otherwise(use: Use, view: View) -> tuple[Told, Use] | None:
    """The argument that a use reads the other way round than another one does, and that one.

    Both mask one attention, before softmax and after it; or one is a library's attention, which
    stands in for the other.
    """
    for told in arguments_of(use, view):
        for other in view.mask_uses:
            if not _of_one_purpose(use, other) or other.operation.place != use.operation.place:
                continue
            if other.operation.number > use.operation.number:
                continue  # what stands first is told by what follows
            if any(_are_opposed(use, told, other, each) for each in arguments_of(other, view)):
                return told, other
    return None


def _of_one_purpose(use: Use, other: Use) -> bool:
    if use.library or other.library:
        return use.library != other.library
    return use.site is not None and use.site is other.site and use.late != other.late


def _are_opposed(use: Use, told: Told, other: Use, again: Told) -> bool:
    if (told.name, told.function) != (again.name, again.function):
        return False
    effects = [
        (each.hides(argument.true), each.hides(argument.false))
        for each, argument in ((use, told), (other, again))
    ]
    return effects in ([(True, False), (False, True)], [(False, True), (True, False)])


def arguments_of(use: Use, view: View) -> tuple[Told, ...]:
    """The arguments that the mask of a use is, one for each branch.

    None that is negated in one branch and not in another: which of them is used a later condition
    may tell.
    """
    found = _read(use.operand, use.operation, view, 0)
    return tuple(
        told
        for told in found
        if all(
            (told.true, told.false) == (other.true, other.false)
            for other in found
            if (told.name, told.function) == (other.name, other.function)
        )
    )


def _read(operand: Operand | None, user: Operation, view: View, depth: int) -> tuple[Told, ...]:
    """The arguments that an operand of an operation is made of; none where one is not known."""
    if operand is None or not isinstance(operand.value, Tensor) or depth > _MOST_STEPS:
        return ()
    found = [
        _argument(operand, user) if made is None else _through(made, view, depth)
        for made in view.graph.makers(operand.value)
    ]
    return tuple(dict.fromkeys(itertools.chain(*found))) if all(found) else ()


def _argument(operand: Operand, user: Operation) -> tuple[Told, ...]:
    """The argument of its function that an operand is, by its name."""
    function, node = user.place.node, operand.node
    if not isinstance(function, cst.FunctionDef) or not isinstance(node, cst.Name):
        return ()
    return (Told(node.value, function),) if node.value in parameter_names(function) else ()


def _through(made: Operation, view: View, depth: int) -> tuple[Told, ...]:
    event = made.event
    first = next((operand for operand, _ in made.tensors()), None)
    if moved(made) is not None or made.kind in COPYING:
        return _read(first, made, view, depth + 1)
    if not isinstance(event, Elementwise):
        return ()
    if event.symbol in _TURNS:
        return _changed(_read(first, made, view, depth + 1), _TURNS[event.symbol])
    return _with_number(made, event.symbol, view, depth)


def _with_number(made: Operation, symbol: str, view: View, depth: int) -> tuple[Told, ...]:
    """``mask == 0``, ``1 - mask``."""
    function = BINARY.get(symbol)
    x, y = operand_of(made, "x"), operand_of(made, "y")
    left, right = number_of(x), number_of(y)
    if function is None or (left is None) == (right is None):
        return ()
    if right is not None:
        read = _read(x, made, view, depth + 1)
        return _changed(read, lambda value: function(value, right))
    read = _read(y, made, view, depth + 1)
    return _changed(read, lambda value: function(left or 0.0, value))


def _changed(read: tuple[Told, ...], function: Callable[[float], float]) -> tuple[Told, ...]:
    """The same arguments with something done to their elements."""
    try:
        return tuple(
            replace(told, true=float(function(told.true)), false=float(function(told.false)))
            for told in read
        )
    except (ArithmeticError, ValueError):
        return ()


class _Claims(dict[cst.FunctionDef, dict[str, MaskClaim]]):
    """What the docstring of each function, or a comment at its head, says of its masks."""

    def __init__(self, source: Source) -> None:
        super().__init__()
        self._source = source

    def __call__(self, function: cst.FunctionDef) -> dict[str, MaskClaim]:
        if function not in self:
            names, text = parameter_names(function), function.get_docstring() or ""
            said = mask_claims(_head_comments(function, self._source), names)
            comments = {name: replace(claim, where="a comment") for name, claim in said.items()}
            of_class = self._of_class(function, names)
            self[function] = {**of_class, **comments, **mask_claims(text, names)}
        return self[function]

    def _of_class(self, function: cst.FunctionDef, names: list[str]) -> dict[str, MaskClaim]:
        """What the docstring of a class says of what its instances are called with."""
        if function.name.value not in FORWARD:
            return {}
        around = self._source.around(function)
        owner = next((each for each in reversed(around) if isinstance(each, cst.ClassDef)), None)
        said = {} if owner is None else mask_claims(owner.get_docstring() or "", names)
        return {
            name: replace(claim, where="the docstring of the class") for name, claim in said.items()
        }


def _head_comments(function: cst.FunctionDef, source: Source) -> str:
    """The comments between the name of a function and its first statement, line by line."""
    start = source.line(function.name)
    end = source.line(function.body.body[0]) if function.body.body else start
    comments = (line.partition("#")[2] for line in source.lines[start - 1 : end - 1])
    return "\n".join(comment.lstrip("# ") for comment in comments if comment)


def _claims(view: View) -> _Claims:
    return _Claims(view.source)
