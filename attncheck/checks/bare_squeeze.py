"""``squeeze()`` drops every axis of size 1, the batch as well when it holds one sequence."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

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
    if len(ones) != 1 or not risky or _is_guarded(operation, view):
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


#: What asks how many axes a tensor has, or how long they are.
_ASKED = re.compile(r"\.(?:dim\(|ndim\b|shape\b|size\()")


def _is_guarded(operation: Operation, view: View) -> bool:
    """Whether a condition around it asks for axes, or it stands in one that does."""
    return any(
        isinstance(outer, cst.If | cst.IfExp) and _ASKED.search(view.code(outer.test)) is not None
        for outer in view.source.around(operation.node)
    )
