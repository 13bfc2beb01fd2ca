"""An operation that wants another number of axes than its operand has."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import ONE
from attncheck.checks import plain
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault
from attncheck.rule import Rule

RULE = Rule("ATN104", "wrong-rank", "an operation that wants another number of axes", fix="unsafe")
ON = (Fault.RANK, Fault.AXIS)
#: The operator of layers that give operands of fewer axes those of others.
_STRETCHING = "list_attention"


def check_trace(view: View) -> Iterator[Report]:
    """Report queries of two axes that Keras' attention stretches over the batch."""
    for operation in view.graph.operations:
        if operation.kind != _STRETCHING or operation.elsewhere or operation.clash is not None:
            continue
        query = next((each for each in operation.tensors() if each[0].name == "query"), None)
        sizes = None if query is None else view.sizes(query[1])
        if query is None or sizes is None or len(sizes) != 2 or query[0].node is None:
            continue
        yield Report(
            RULE,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` takes (B, T, d) for the query, not"
            f" {text_of(sizes)}: it is stretched, so that every sequence is attended to with the"
            " queries of all others, and nothing raises",
            Culprit(query[0].node, query[1]),
            (sizes[0], ONE, sizes[1]),
            "an axis of its own for the queries of each sequence, also where there is one",
        )


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a rank that does not fit, or an axis that is not there."""
    yield from plain.report(RULE, operation, view)
