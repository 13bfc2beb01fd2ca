"""``squeeze()`` drops every axis of size 1, the batch as well when it holds one sequence."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import Size
from attncheck.checks.report import Culprit, Report, sizes_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Squeeze
from attncheck.rule import Rule

RULE = Rule(
    "ATN205",
    "bare-squeeze",
    "squeeze() without an axis where the batch or time size can be 1",
    "warning",
)
ON = (Squeeze,)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a bare squeeze of a tensor with an axis that is 1 and another that can be."""
    event = operation.event
    tensors = list(operation.tensors())
    if not isinstance(event, Squeeze) or not event.bare or not tensors:
        return
    operand, tensor = tensors[0]
    shape = view.shape(tensor)
    sizes = sizes_of(shape)
    if sizes is None or operand.node is None:
        return
    ones = [index for index, size in enumerate(sizes) if size is not None and size.number == 1]
    risky = [size for size in sizes if size is not None and _can_be_one(size)]
    if len(ones) != 1 or not risky:
        return
    wanted = tuple(size for index, size in enumerate(sizes) if index != ones[0])
    message = (
        f"`{view.quote(operation.node)}` also drops {', '.join(map(str, risky))}"
        f" when {'one of them' if len(risky) > 1 else 'it'} is 1"
    )
    yield Report(
        RULE,
        operation,
        operation.node,
        message,
        Culprit(operand.node, tensor),
        wanted,
        f"only axis {ones[0]}, which is 1, is meant to go",
        axis=ones[0],
    )


def _can_be_one(size: Size) -> bool:
    """Whether a size is a batch or a number of positions: a name, not a width of the model."""
    symbol = size.symbol
    return symbol is not None and symbol.name in ("batch_size", "B", "T_enc", "T_dec")
