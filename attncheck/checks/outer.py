"""Outer products that nobody asked for: both sides stretched along axes that are one and the same.

``(T,) * (T, 1)`` is a table of every element with every other.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.broadcast import How, Pairing
from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size
from attncheck.checks.elementwise_mistakes import Diagnosis, Kind
from attncheck.checks.report import Culprit
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import (
    Contraction,
    Creation,
    Einsum,
    Elementwise,
    Event,
    NewAxis,
    Permutation,
    Rearranging,
    Reduction,
    Reshaping,
    Selection,
    Softmax,
)
from attncheck.record import record
from attncheck.tree.pairs import mentions
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

#: What says itself which axes there are from then on.
_ASKING = (NewAxis, Selection)
#: Steps from a tensor back to the product that made it.
_MOST_STEPS = 12
#: What puts a mask on a tensor.
_FILLS = frozenset({"where", "masked_fill"})


def outer(
    operation: Operation, view: View, tensors: list[tuple[Operand, Tensor]]
) -> Diagnosis | None:
    """``(T,) * (T, 1)``: both sides stretched, along axes that are one and the same."""
    event = operation.event
    assert isinstance(event, Elementwise)
    for found in _stretched(_pairings(operation, event, view, tensors)):
        if not _one_meaning(view, found.column, found.vector):
            continue
        operand, tensor = tensors[found.side]
        sizes = view.sizes(tensor)
        if sizes is None or operand.node is None:
            continue
        on_scores = _is_fill(event, found) or _are_scores(view, tensor, found)
        if not on_scores and _is_meant(view, operand, tensors, found):
            continue
        # ``k.view(-1, 1) * k``, and a row and its transpose: a column made of the row is meant.
        row = tensors[1 - found.side][0].node
        written = (operand.node, _turned(tensor, operation, view))
        if isinstance(row, cst.Name) and any(mentions(each, row.value) for each in written if each):
            continue
        if any(_is_ones(view, each) for _, each in tensors):
            continue
        # Differences of positions, all against all, are tables that are meant.
        if all(t.dtype in ("int", "bool") or _is_positions(view, t) for _, t in tensors):
            continue
        at = len(sizes) - found.after
        wanted = (*sizes[: at - 1], *sizes[at:])
        other = tensors[1 - found.side]
        either = " here or with one there too" if found.after else ""
        derivation = (
            f"without the axis of 1{either}, so that it meets `{view.quote(other[0].node)}`"
            f" {view.text(other[1])} element by element"
        )
        return Diagnosis(Kind.OUTER, Culprit(operand.node, tensor), wanted, derivation)
    return None


def _is_ones(view: View, tensor: Tensor) -> bool:
    """Whether a tensor is 1 throughout: it is there for nothing but to spread the other one."""
    mark = view.meanings.mark(tensor)
    return mark is not None and mark.is_constant and mark.visible == 1


def _turned(tensor: Tensor, operation: Operation, view: View) -> cst.CSTNode | None:
    """The transpose that a tensor is, if the function of an operation makes it."""
    made = view.graph.maker(tensor)
    if made is None or not isinstance(made.event, Permutation) or made.place != operation.place:
        return None
    return made.node


@record
class _Stretched:
    """An axis of 1 that is stretched to the vector's, behind one that the vector has not.

    ``column`` is the axis before the 1, ``vector`` the one that the 1 meets, ``side`` which operand
    has the column. ``after`` axes follow, which are the same on both sides.
    """

    column: Axis
    vector: Axis
    side: int
    after: int = 0


def _pairings(
    operation: Operation, event: Elementwise, view: View, tensors: list[tuple[Operand, Tensor]]
) -> tuple[Pairing, ...]:
    """The pairings of the two tensors; ``where(mask, x, 0)`` has those with the number beside."""
    assert event.broadcast is not None
    rank = max(len(view.sizes(tensor) or ()) for _, tensor in tensors)
    first = [operand.name for operand in operation.operands[:2]]
    if [operand.name for operand, _ in tensors] == first:
        return event.broadcast.pairings[:rank]
    return event.broadcast.pairings[-rank:] if rank else ()


def _stretched(pairings: tuple[Pairing, ...]) -> Iterator[_Stretched]:
    """The axes of 1 of one operand that turn the other one, a vector there, into a table."""
    for after in range(len(pairings) - 1):
        before, last = pairings[-2 - after], pairings[-1 - after]
        if last.how is How.LEFT_STRETCHED and before.how in (How.RIGHT_ADDED, How.RIGHT_STRETCHED):
            assert before.left is not None and last.right is not None
            yield _Stretched(before.left, last.right, 0, after)
        if last.how is How.RIGHT_STRETCHED and before.how in (How.LEFT_ADDED, How.LEFT_STRETCHED):
            assert before.right is not None and last.left is not None
            yield _Stretched(before.right, last.left, 1, after)
        if last.how not in (How.MATCHED, How.ASSUMED):
            return


def _is_fill(event: Elementwise, found: _Stretched) -> bool:
    """Whether a mask gives what it is put on an axis more: it never is put on to do that."""
    return event.symbol in _FILLS and found.after > 0


def _are_scores(view: View, tensor: Tensor, found: _Stretched) -> bool:
    """Whether the column is what a product gave: scores of one query, or one axis for all heads.

    ``(B, 1, T)`` beside ``(B, T)``, or ``(B, 1, T, T)`` beside ``(B, T, T)``: what has keys of each
    sequence is put on those of its own.
    """
    if not found.after:
        return False
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        tensors = [] if made is None else [each for _, each in made.tensors()]
        if made is None or not tensors:
            return False
        if isinstance(made.event, Contraction | Einsum):
            return len(tensors) == 2
        if made.event is not None and not isinstance(made.event, Elementwise | Softmax):
            return False
        sizes = view.sizes(as_tensor(made.output))
        tensor = next((each for each in tensors if view.sizes(each) == sizes), tensors[0])
    return False


def _one_meaning(view: View, column: Axis, vector: Axis) -> bool:
    """Whether two axes are the same one: by birth, by the one name of their size, or elsewhere."""
    if column.is_one or vector.is_one or column.size is None or vector.size is None:
        return False
    if column.tag is not None and column.tag == vector.tag:
        return True
    if column.size.number is not None:
        return False
    if view.facts.compare(column.size, vector.size) is Verdict.EQUAL:
        return True
    ours = {column.size, vector.size}
    return any(ours == {view.facts.resolve(size) for size in pair} for pair in view.once(_met))


def _met(view: View) -> list[tuple[Size, Size]]:
    """The sizes of axes that meet in an operation that puts them together one by one."""
    events = (each.event for each in view.graph.operations if not each.elsewhere)
    pairings = (
        pairing
        for event in events
        if isinstance(event, Elementwise) and event.broadcast is not None
        for pairing in event.broadcast.pairings
        if pairing.how is How.ASSUMED
    )
    sizes = ((pairing.left, pairing.right) for pairing in pairings)
    return [
        (left.size, right.size)
        for left, right in sizes
        if left is not None and right is not None and left.size and right.size
    ]


def _is_positions(view: View, tensor: Tensor) -> bool:
    """Whether a tensor counts positions: an ``arange``, shaped anew or changed one by one."""
    made = view.graph.maker(tensor)
    while made is not None and not isinstance(made.event, Creation):
        sources = [source for operand, source in made.tensors() if operand.name == "x"]
        if len(sources) != 1 or any(operand.name == "y" for operand, _ in made.tensors()):
            return False
        made = view.graph.maker(sources[0])
    return made is not None and isinstance(made.event, Creation) and made.event.kind == "arange"


def _is_meant(
    view: View, column: Operand, tensors: list[tuple[Operand, Tensor]], found: _Stretched
) -> bool:
    """Whether the axis of 1 was put in for this very operation, or for another last axis.

    It was if it is written in the operand, or if the other one was given an axis too. A column that
    was kept under a name, and meets a plain vector later, was made for something else.
    """
    other = tensors[1 - found.side][1]
    if _are_margins(view, tensors[found.side][1], other):
        return True
    shaped = (*_ASKING, Reshaping, Rearranging, Permutation)
    if found.after or (_asked_for(view, other, shaped) and not _is_one_row(view, other)):
        return not _is_one_column(view, other)
    named = type(column.node).__name__ == "Name"
    plain = len(view.sizes(other) or ()) == 1
    return not (named and plain) and _asked_for(view, tensors[found.side][1])


def _are_margins(view: View, one: Tensor, other: Tensor) -> bool:
    """Whether two tensors are sums of one table along its two sides, each with an axis of 1."""
    made = [view.graph.maker(tensor) for tensor in (one, other)]
    kept = [each for each in made if each is not None and isinstance(each.event, Reduction)]
    shapes = [view.shape(tensor) for tensor in (one, other)]
    ones = [any(axis.is_one for axis in shape.lead) for shape in shapes if shape is not None]
    return len(kept) == 2 and kept[0].source is kept[1].source and ones == [True, True]


def _is_one_column(view: View, tensor: Tensor) -> bool:
    """Whether a vector is a column of a matrix, taken by its number: ``x[:, 0]``."""
    return _kept_of_matrix(view, tensor) == (0,)


def _is_one_row(view: View, tensor: Tensor) -> bool:
    """Whether a vector is a row of a matrix, taken by its number, ``x[t]``, as steps are."""
    return _kept_of_matrix(view, tensor) == (1,)


def _kept_of_matrix(view: View, tensor: Tensor) -> tuple[int | None, ...] | None:
    made, shape = view.graph.maker(tensor), view.shape(tensor)
    while made is not None and isinstance(made.event, Elementwise) and len([*made.tensors()]) == 1:
        made = None if made.source is None else view.graph.maker(made.source)
    if made is None or not isinstance(made.event, Selection) or shape is None:
        return None
    return made.event.kept if shape.rank == 1 and made.kind == "index" else None


def _asked_for(view: View, tensor: Tensor, asking: tuple[type[Event], ...] = _ASKING) -> bool:
    """Whether the axis of 1 was put in right at the operation, which shows that it is meant.

    Steps that change elements one by one (``.float()``, a negation) may stand between.
    """
    made = view.graph.maker(tensor)
    while made is not None and not isinstance(made.event, asking):
        if made.kind == "reshape" and Reshaping in asking:
            return True  # of what is of unknown shape
        tensors = list(made.tensors())
        if len(tensors) != 1 or not isinstance(made.event, Elementwise | type(None)):
            return False
        made = view.graph.maker(tensors[0][1])
    return made is not None
