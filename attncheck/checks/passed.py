"""Which side of a call is to blame, where what is called meets its arguments as they were given.

``attend(q, k, v)`` of queries and keys ``(B, H, T, d)`` and values ``(B, T, H, d)`` fails inside of
`attend`. Of three tensors that are made alike the one whose axes stand otherwise is the odd one
out: the caller is to blame, and the line that is to be edited is the caller's.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import libcst as cst

from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import Size
from attncheck.checks.report import Culprit, Report, Sizes, text_of
from attncheck.checks.view import View
from attncheck.graph import Caller, Operation, Place
from attncheck.operators.masking import MASK
from attncheck.record import record, replace
from attncheck.values.value import as_tensor, expanded

if TYPE_CHECKING:
    from attncheck.values.tensor import Tensor
    from attncheck.values.value import Value

#: A matrix may well be given transposed; of more axes the order tells.
_LEAST_RANK = 3
#: So many other arguments have to agree.
_LEAST_VOTES = 2


@record
class _Given:
    """An argument of a call: its name, its tensor, and its sizes before the operation failed."""

    name: str
    tensor: Tensor
    sizes: Sizes


def blame_giver(report: Report, view: View) -> Report | None:
    """The report with the caller to blame that has given the odd one out; None if none has."""
    place = report.operation.place
    if not place.calls or report.culprit is None or report.operation.elsewhere:
        return None
    caller = place.calls[-1]
    given = list(_given(caller.given, report.operation, view))
    for odd in given:
        alike = [each for each in given if _is_beside(each, odd)]
        if _is_odd(odd, alike, view):
            return _blaming(report, view, caller, odd, alike)
    return None


def _is_beside(other: _Given, odd: _Given) -> bool:
    """Whether another argument has as many axes."""
    return other is not odd and len(other.sizes) == len(odd.sizes)


def _blaming(
    report: Report, view: View, caller: Caller, odd: _Given, alike: list[_Given]
) -> Report:
    """The report with the call to blame that gives an argument unlike those beside it."""
    node = _written(caller, report.operation.place, odd.name) or caller.node
    others = " and ".join(f"`{each.name}` {text_of(each.sizes)}" for each in alike)
    return replace(
        report,
        node=node,
        function=caller.function,
        message=f"{report.message}; the call is to blame, {view.place(caller.node)}: `{odd.name}`"
        f" is given as {text_of(odd.sizes)} beside {others}",
        culprit=Culprit(node, odd.tensor),
        expected=None,
        derivation="axes in the order of those of the other arguments",
        passed=True,
    )


def _given(given: Mapping[str, Value], operation: Operation, view: View) -> Iterator[_Given]:
    """The arguments that are tensors of known axes, as they were before an operation.

    Masks and what may be None are made for something else.
    """
    for name, value in given.items():
        tensor = as_tensor(value)
        shape = expanded(value, view.facts)
        if tensor is None or tensor.shape is None or shape is None or not shape.closed:
            continue
        if len(shape.axes) < _LEAST_RANK or tensor.role == MASK or tensor.optional:
            continue
        listed = tensor.shape if tensor.shape.closed else shape
        sizes = tuple(
            None if axis.size is None else view.facts.resolve_but(axis.size, operation.bound)
            for axis in listed.axes
        )
        yield _Given(name, tensor, sizes)


def _is_odd(odd: _Given, others: list[_Given], view: View) -> bool:
    """Whether an axis of one argument is on another place in the others, which agree on its own.

    It has the sizes of one of them, in another order; what has sizes of its own is something else.
    """
    if len(others) < _LEAST_VOTES or not any(_is_turned(odd, each, view) for each in others):
        return False
    for place, size in enumerate(odd.sizes):
        column = [each.sizes[place] for each in others]
        agreed = all(_same(column[0], each, view) for each in column[1:])
        if size is None or not agreed or _same(size, column[0], view):
            continue
        if any(
            _same(size, other, view) and not _same(size, odd.sizes[at], view)
            for each in others
            for at, other in enumerate(each.sizes)
        ):
            return True
    return False


def _is_turned(odd: _Given, other: _Given, view: View) -> bool:
    """Whether an argument has the sizes of another one, as far as both are known."""
    left = list(other.sizes)
    for size in odd.sizes:
        found = next((own for own in left if size is None or _same(size, own, view)), None)
        if found is None and None not in left:
            return False
        left.remove(found)
    return True


def _same(one: Size | None, other: Size | None, view: View) -> bool:
    """Whether two sizes are one by what was known before: not only by what an operation needed."""
    if one is None or other is None:
        return False
    return one == other or (
        not any(symbol.flexible for size in (one, other) for symbol in size.symbols())
        and view.facts.compare(one, other) is Verdict.EQUAL
    )


def _written(caller: Caller, place: Place, name: str) -> cst.CSTNode | None:
    """The expression that a call gives an argument as; None if it is not written by itself."""
    parameters = getattr(place.node, "params", None)
    if not isinstance(caller.node, cst.Call) or parameters is None:
        return None
    names = [each.name.value for each in (*parameters.posonly_params, *parameters.params)]
    if names[:1] in (["self"], ["cls"]):
        names = names[1:]
    for index, argument in enumerate(caller.node.args):
        if argument.star:
            return None
        own = argument.keyword.value if argument.keyword else None
        if own == name or (own is None and index < len(names) and names[index] == name):
            return argument.value
    return None
