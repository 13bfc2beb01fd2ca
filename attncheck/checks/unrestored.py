"""Weights that stay in the order of packing, beside outputs that are put back into the caller's.

A batch that is sorted by length for ``pack_padded_sequence`` is turned back behind the layer, by
the order of its order: ``out[perm.argsort()]``. Weights that are returned beside such outputs as
they are belong to other sequences, row by row, and every shape is right.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import MOVES
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tracer.machine import ShapeSite
from attncheck.values.tensor import Tensor
from attncheck.values.value import Packed, Sequence, Value, as_tensor

#: The operators that give an order, and those that take rows by one, with the operand it is in.
_ORDERS = frozenset({"argsort", "sort_pair"})
_TAKES = {"index": "key", "index_select": "index"}
_MOST_STEPS = 12
#: Outputs, and weights beside them.
_PAIR = 2


@record
class Unrestored:
    """Weights that are returned as they were sorted, what sorted, and what put others back."""

    returned: ShapeSite
    weights: Tensor
    sorting: Operation
    restoring: Operation


def unrestored_weights(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each tensor of weights that is returned in another order than the output."""
    for found in view.once(unrestored):
        node, restoring = found.returned.node, view.quote(found.restoring.node)
        yield Report(
            rule,
            found.restoring,
            node,
            f"`{view.quote(node)}` is returned in the order into which"
            f" `{view.quote(found.sorting.node)}` has put the batch, and `{restoring}` is back in"
            " the caller's: row i of the one belongs to another sequence than row i of the other;"
            " the shapes are right, so nothing raises",
            Culprit(node, found.weights),
            view.sizes(found.weights),
            f"in the order of the caller, as `{restoring}`",
            hidden="hidden while the batch comes sorted",
        )


def unrestored(view: View) -> list[Unrestored]:
    """The weights that the traced function returns as they were sorted."""
    function = view.traced.function
    if function is None or not view.sites:
        return []
    firsts, backs = orders_and_backs(view)
    sortings, restorings = (list(taking(numbers, view)) for numbers in (firsts, backs))
    returned = [site for site in view.traced.sites if site.name == "return"]
    if not sortings or not restorings or len(returned) < _PAIR:
        return []
    if any(_made(site.value) & (firsts | backs) for site in returned):
        return []  # whoever calls can put the rest back
    sorted_, restored = followed(sortings, restorings, view)
    if not any(_made(site.value) & restored for site in returned):
        return []
    return [
        Unrestored(site, tensor, sortings[0], restorings[0])
        for site in returned
        if (tensor := as_tensor(site.value)) is not None
        and _made(site.value) <= sorted_ - restored
        and _are_weights(tensor, view)
    ]


def orders_and_backs(view: View) -> tuple[set[int], set[int]]:
    """What gives an order, by number, and what gives the order of an order, which undoes it."""
    orders = [each for each in view.graph.operations if each.kind in _ORDERS]
    backs = {each.number for each in orders if each.read & {order.number for order in orders}}
    return {each.number for each in orders} - backs, backs


def taking(orders: set[int], view: View) -> Iterator[Operation]:
    """The operations of the traced function that take rows of a tensor by one of some orders."""
    for operation in view.graph.operations:
        if operation.place.calls or operation.elsewhere:
            continue
        made = ordered_by(operation)
        if made and made <= orders:
            yield operation


def ordered_by(operation: Operation) -> frozenset[int | None]:
    """The operations that may have made the index by which an operation takes rows."""
    name = _TAKES.get(operation.kind)
    return frozenset().union(
        *(_made(each.value) for each in operation.operands if name and each.name == name)
    )


def _made(value: Value) -> frozenset[int | None]:
    """The operations that may have made a tensor, or the tensors of a list."""
    if type(value) is Sequence:
        return frozenset().union(*map(_made, value.items or ()))
    tensor = as_tensor(value)
    return frozenset() if tensor is None else tensor.made_by


def followed(
    sortings: list[Operation], restorings: list[Operation], view: View
) -> tuple[set[int], set[int]]:
    """What is made of a sorted batch, and what of that which was put back."""
    sorted_, restored = ({each.number for each in found} for found in (sortings, restorings))
    packed = False
    for later in view.graph.after(sortings[0]):
        unpacks = packed and any(type(each.value) is Packed for each in later.operands)
        if later.read & restored:
            restored.add(later.number)
        elif (later.read & sorted_ or unpacks) and later.number not in restored:
            sorted_.add(later.number)
            packed = packed or later.kind == "pack_padded"
    return sorted_, restored


def _are_weights(tensor: Tensor, view: View) -> bool:
    """Whether a tensor is what a softmax of an attention gives, at most moved."""
    softmaxes = {site.softmax.number for site in view.sites if site.sums}
    for _ in range(_MOST_STEPS):
        made = view.graph.maker(tensor)
        if made is None or made.number in softmaxes:
            return made is not None
        if not isinstance(made.event, MOVES) or made.source is None:
            return False
        tensor = made.source
    return False


def order_of(restoring: Operation) -> cst.BaseExpression | None:
    """The expression of the order that an index takes rows by."""
    node = restoring.node
    if not isinstance(node, cst.Subscript) or len(node.slice) != 1:
        return None
    index = node.slice[0].slice
    return index.value if isinstance(index, cst.Index) else None
