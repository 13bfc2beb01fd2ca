"""Linear attention whose queries meet the features of the values, and not those of the keys.

Without a softmax the keys meet the values first, over the positions: a table of key features by
value features. A query asks the keys, so that it sums over their features, and what it gets has
the features of the values (Katharopoulos et al. 2020, "Transformers are RNNs", equation 5; Shen et
al. 2018, "Efficient Attention", section 3.2). Both are of one size more often than not.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.attention import contracted_axes, same_axis
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import MOVES, Contraction, Einsum, Elementwise
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.table import Role, roles_of
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

_PRODUCTS = (Contraction, Einsum)


@record
class AskedValues:
    """A product that sums over an axis of the values: the product, its table, and how it came."""

    product: Operation
    table: int
    made: Operation
    asked: Axis


def asked_values(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of queries that are multiplied with the values' features."""
    for operation in view.graph.operations:
        found = view.remembered(values_asked, operation)
        if found is None or operation.elsewhere:
            continue
        operand, table = list(operation.tensors())[found.table]
        if operand.node is None:
            continue
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` sums the queries over the features of the values:"
            f" `{view.quote(found.made.node)}` has those of the keys in another axis, which is the"
            " one that queries are compared over; nothing raises while keys and values are of one"
            " size",
            Culprit(operand.node, table),
            view.sizes(table),
            "summed over the features of the keys, so that the result has those of the values",
            named=True,
        )


def values_asked(operation: Operation, view: View) -> AskedValues | None:
    """How a product of the queries and a sum of keys times values sums over the wrong axis."""
    tensors = [tensor for _, tensor in operation.tensors()]
    if not isinstance(operation.event, _PRODUCTS) or operation.clash is not None:
        return None
    if len(tensors) != 2:
        return None
    for index, tensor in enumerate(tensors):
        made = _table_behind(tensor, view)
        parts = None if made is None else _key_and_value(made, operation, 1 - index, view)
        if made is None or parts is None:
            continue
        summed = contracted_axes(operation, index)
        features = [_features(made, place, view) for place in parts]
        if len(summed) == 1 and None not in features:
            of_keys, of_values = (
                any(_is_one(summed[0], axis) for axis in each or ()) for each in features
            )
            if of_values and not of_keys:
                return AskedValues(operation, index, made, summed[0])
    return None


def _table_behind(tensor: Tensor, view: View) -> Operation | None:
    """The product that a tensor is, moved or scaled; None if something else made it."""
    made = view.graph.maker(tensor)
    while made is not None and isinstance(made.event, (*MOVES, Elementwise)):
        sources = [source for _, source in made.tensors()]
        made = view.graph.maker(sources[0]) if len(sources) == 1 else None
    return made if made is not None and isinstance(made.event, _PRODUCTS) else None


def _key_and_value(
    made: Operation, asking: Operation, query: int, view: View
) -> tuple[int, int] | None:
    """Which operands of a product are the keys and the values, if a query then asks it, by name."""
    nodes = [operand.node for operand, _ in made.tensors()]
    nodes.append(list(asking.tensors())[query][0].node)
    names = [view.base_name(node) or "" for node in nodes]
    roles = roles_of(names)
    found = [roles.get(name) for name in names]
    if len(found) != 3 or found[2] is not Role.QUERY or {*found[:2]} != {Role.KEY, Role.VALUE}:
        return None
    return found.index(Role.KEY), found.index(Role.VALUE)


def _features(made: Operation, index: int, view: View) -> list[Axis] | None:
    """The axes of an operand that a product keeps and that the other operand has not."""
    tensors = [tensor for _, tensor in made.tensors()]
    shapes = [view.shape(tensor) for tensor in tensors]
    output = view.shape(as_tensor(made.output))
    if output is None or not output.closed:
        return None
    if any(shape is None or not shape.closed for shape in shapes):
        return None
    own, other = (shape.axes for shape in (shapes[index], shapes[1 - index]) if shape is not None)
    return [
        axis
        for axis in own
        if any(_is_one(axis, each) for each in output.axes)
        and not any(_is_one(axis, each) for each in other)
    ]


def _is_one(left: Axis, right: Axis) -> bool:
    return same_axis(left, right) is True
