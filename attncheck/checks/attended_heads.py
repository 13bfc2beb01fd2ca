"""Library attention whose positions are heads: the transpose in front of it is missing.

``torch.nn.functional.scaled_dot_product_attention`` takes (..., positions, features); what stands
before that is a batch. Split into heads, a sequence is (batch, positions, heads, features), and
given like this the heads of one position attend to each other.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.checks.heads import counts_heads
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Attention
from attncheck.rule import Rule

#: (batch, positions, heads, features), at least.
_SPLIT = 4


def among_heads(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """A report for attention of heads to heads, however many positions there are."""
    event = operation.event
    if not isinstance(event, Attention) or event.heads is not None or operation.elsewhere:
        return
    if operation.clash is not None or not of_heads(event.query, event.key, view):
        return
    operand, query = next(operation.tensors())
    sizes = view.sizes(query)
    if sizes is None or len(sizes) < _SPLIT or operand.node is None or sizes[-3] is None:
        return
    if sizes[-3].number == 1 or sizes[-2] != event.query.size:
        return
    *batch, positions, heads, features = sizes
    count, length = (text_of((size,)).strip("(),") for size in (heads, positions))
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` takes {count} for the positions of {text_of(sizes)} and"
        f" {length} for a batch: the heads of one position attend to each other, no position"
        " attends to another, and the result has the same shape, so that nothing raises",
        Culprit(operand.node, query),
        (*batch, heads, positions, features),
        "attention takes (..., positions, features), so the heads have to be transposed in front of"
        " the positions, of queries, keys and values alike",
        named=True,
    )


def of_heads(query: Axis, key: Axis, view: View) -> bool:
    """Whether what attends, and what is attended to, are heads, as the code itself names them.

    Where names alone say what an argument's axes are, that they make heads meet heads speaks
    against these names.
    """
    return view.traced.hypothesis is None and counts_heads(query) and counts_heads(key)
