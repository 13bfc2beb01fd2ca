"""Contracted sizes differ, and no transpose mends it."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks import plain, tied
from attncheck.checks.mask_places import misplaced
from attncheck.checks.products import Kind, report
from attncheck.checks.report import Report, Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Attention, Contraction, Fault
from attncheck.rule import Rule

RULE = Rule(
    "ATN101",
    "matmul-mismatch",
    "contracted sizes differ",
    fix="unsafe",
)
ON = (Fault.CONTRACTION, Fault.BROADCAST, Contraction, Attention)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a product that contracts two different sizes, or pairs two different batches."""
    clash = operation.clash
    if clash is None:
        yield from tied.report(RULE, operation, view, "pairs the batch axes")
        return
    if clash.fault is Fault.BROADCAST:
        if isinstance(operation.event, Contraction | Attention) and not misplaced(operation, view):
            yield from plain.report(RULE, operation, view, *_paired(operation, view))
        return
    yield from report(
        RULE,
        Kind.MISMATCH,
        operation,
        view,
        "`{code}` {clash}",
    )


def _paired(operation: Operation, view: View) -> tuple[Sizes | None, str]:
    """The blamed operand's sizes with the batch axis that the other operand has."""
    clash, tensors = operation.clash, [tensor for _, tensor in operation.tensors()]
    assert clash is not None
    sizes = view.sizes(tensors[min(clash.operand, len(tensors) - 1)]) if tensors else None
    batch = () if sizes is None else sizes[:-2]
    places = [place for place, size in enumerate(batch) if size == clash.right]
    if sizes is None or not places:
        return None, ""
    wanted = (*sizes[: places[-1]], clash.left, *sizes[places[-1] + 1 :])
    return wanted, f"so that the batch axes agree, {clash.left} on both sides"
