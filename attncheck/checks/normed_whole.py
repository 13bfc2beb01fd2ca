"""Rows divided by the norm of their whole matrix, where a cosine wants each by its own.

``norm`` without an axis takes the matrix for one long vector: one number for all rows. Beside a
vector that is divided by its norm the rows are to have length 1 as well; as it is, long rows win,
and all scores are far below 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import contracted_axes, same_axis
from attncheck.checks.normed_apart import norm_in
from attncheck.checks.report import Culprit, Report
from attncheck.checks.sources import root_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, MOVES, Contraction, Einsum, Elementwise, Reduction
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_MOST_STEPS = 8
_PAIR = 2


@record
class NormedWhole:
    """The norm of a whole matrix, the product that compares its rows, and the axis of these.

    ``kept`` says that the norm divides the rows themselves, and not their products.
    """

    norm: Operation
    product: Operation
    axis: int
    kept: bool


def normed_whole(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each matrix whose rows are to be compared, and are divided by one number."""
    for found in view.once(wholes_normed):
        output, source = as_tensor(found.norm.output), found.norm.source
        sizes = view.sizes(source)
        if output is None or sizes is None:
            continue
        rows = sizes[1 - found.axis]
        yield Report(
            rule,
            found.norm,
            found.norm.node,
            f"`{view.quote(found.norm.node)}` is one number, the norm of all {rows} rows together,"
            f" but `{view.quote(found.product.node)}` ({view.place(found.product.node)}) compares"
            " each row with a vector of length 1: rows keep lengths of their own, long ones win,"
            " and the scores are no cosines",
            Culprit(found.norm.node, output),
            (rows,),
            f"a norm for each row, over axis {found.axis}",
            axis=found.axis,
            local=True,
        )


def wholes_normed(view: View) -> list[NormedWhole]:
    """The norms of a trace that divide the rows of a matrix by one number."""
    found: dict[object, NormedWhole] = {}
    for operation in view.graph.operations:
        each = None
        if isinstance(operation.event, Contraction | Einsum):
            each = _of_operands(operation, view)
        elif isinstance(operation.event, Elementwise) and operation.event.symbol == "/":
            each = _of_product(operation, view)
        if each is not None and not each.norm.elsewhere:
            found.setdefault(each.norm.node, each)
    return list(found.values())


def _of_operands(product: Operation, view: View) -> NormedWhole | None:
    """``(rows / norm(rows)) @ (query / norm(query))``."""
    tensors = [tensor for _, tensor in product.tensors()]
    norms = [_own_norm(tensor, view) for tensor in tensors]
    if len(norms) != _PAIR or product.clash is not None:
        return None
    for index in (0, 1):
        whole, other = norms[index], norms[1 - index]
        if whole is None or other is None or not _is_of_vector(other, view):
            continue
        axis = _compared(product, index, tensors[index], whole, view)
        if axis is not None:
            return NormedWhole(whole, product, axis, kept=True)
    return None


def _of_product(division: Operation, view: View) -> NormedWhole | None:
    """``rows @ query / (norm(rows) * norm(query))``."""
    tensors = [tensor for _, tensor in division.tensors()]
    makers = [view.graph.maker(tensor) for tensor in tensors]
    if len(makers) != _PAIR:
        return None
    product, total = makers
    if product is None or total is None or not isinstance(product.event, Contraction | Einsum):
        return None
    if not isinstance(total.event, Elementwise) or total.event.symbol != "*":
        return None
    norms = [norm_in(tensor, view) for _, tensor in total.tensors()]
    sides = [tensor for _, tensor in product.tensors()]
    for whole, other in (norms, norms[::-1]) if len(norms) == _PAIR == len(sides) else ():
        if whole is None or other is None or not _is_of_vector(other, view):
            continue
        for index, rows in enumerate(sides):
            if _is_one(whole.source, rows) and _is_one(other.source, sides[1 - index]):
                axis = _compared(product, index, rows, whole, view)
                if axis is not None:
                    return NormedWhole(whole, product, axis, kept=False)
    return None


def _own_norm(tensor: Tensor, view: View) -> Operation | None:
    """The norm of what an operand was, that it has been divided by; moved at most since."""
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.source is None:
            return None
        if isinstance(made.event, Elementwise) and made.event.symbol == "/":
            tensors = [each for _, each in made.tensors()]
            norm = norm_in(tensors[1], view) if len(tensors) == _PAIR else None
            return norm if norm is not None and _is_one(norm.source, tensors[0]) else None
        if not isinstance(made.event, MOVES) and made.kind not in COPYING:
            return None
        tensor = made.source
    return None


def _is_one(one: Tensor | None, other: Tensor) -> bool:
    """Whether two tensors are one: of one maker, or one argument."""
    if one is None or one.operation != other.operation:
        return False
    return one.operation is not None or (bool(root_of(one)) and root_of(one) == root_of(other))


def _is_of_vector(norm: Operation, view: View) -> bool:
    sizes = view.sizes(norm.source)
    return sizes is not None and len(sizes) == 1


def _compared(
    product: Operation, index: int, side: Tensor, norm: Operation, view: View
) -> int | None:
    """The axis of a matrix that a product sums over, if its norm is one number; else None."""
    shape, event = view.shape(norm.source), norm.event
    if not isinstance(event, Reduction) or event.keepdims or shape is None or not shape.closed:
        return None
    if len(shape.axes) != _PAIR or (event.axes is not None and len(event.axes) != _PAIR):
        return None
    summed = contracted_axes(product, index)
    if not summed and _is_one(norm.source, side):
        return _place(product, index)  # an argument whose rank shows only later
    if len(summed) != 1 or view.shape(side) is None:
        return None
    places = [place for place, axis in enumerate(shape.axes) if same_axis(axis, summed[0])]
    return places[0] if len(places) == 1 else None


def _place(product: Operation, index: int) -> int | None:
    """The axis of a matrix that a product sums over, by its number."""
    event = product.event
    if not isinstance(event, Contraction):
        return None
    axes = event.left_axes if index == 0 else event.right_axes
    return axes[0] % _PAIR if len(axes) == 1 else None
