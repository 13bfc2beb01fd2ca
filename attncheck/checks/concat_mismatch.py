"""Tensors that are joined must agree on every other axis."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks import plain
from attncheck.checks.joins import joined_across
from attncheck.checks.report import Culprit, Report, Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault, Joining
from attncheck.rule import Rule

RULE = Rule("ATN106", "concat-mismatch", "tensors joined whose other sizes differ", fix="unsafe")
ON = (Fault.JOIN, Joining)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report joined tensors whose other sizes differ; one of size 1 there is the one to blame."""
    if operation.clash is None:
        yield from joined_across(RULE, operation, view)
    for report in plain.report(RULE, operation, view):
        tensors = [(operand, view.sizes(tensor), tensor) for operand, tensor in operation.tensors()]
        for operand, sizes, tensor in tensors:
            place = _unrepeated(operation, sizes)
            if place is None or sizes is None or operand.node is None:
                continue
            assert operation.clash is not None
            left, right = operation.clash.left, operation.clash.right
            wanted = left if right is not None and right.number == 1 else right
            report.culprit = Culprit(operand.node, tensor)
            report.expected = (*sizes[:place], wanted, *sizes[place + 1 :])
            report.derivation = (
                f"repeated {wanted} times along axis {place}: joining repeats nothing"
            )
            report.axis = place
        yield report


def _unrepeated(operation: Operation, sizes: Sizes | None) -> int | None:
    """The axis of size 1 that meets another size where tensors are joined, or None."""
    event, clash = operation.event, operation.clash
    if sizes is None or clash is None or not isinstance(event, Joining):
        return None
    ends = {None if size is None else size.number for size in (clash.left, clash.right)}
    ones = [i for i, size in enumerate(sizes) if size is not None and size.number == 1]
    joined = None if event.axis is None else event.axis % len(sizes)
    places = [place for place in ones if place != joined]
    return places[0] if 1 in ends and len(places) == 1 else None
