"""Tensors that are joined must agree on every other axis."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.facts import Verdict
from attncheck.algebra.size import ONE
from attncheck.checks import plain
from attncheck.checks.copied_rows import blaming_copies, copied_rows
from attncheck.checks.empties import blaming, empty_operand
from attncheck.checks.joined_contexts import along_steps
from attncheck.checks.joined_for_layers import joined_for_layer
from attncheck.checks.joins import crossed_item, joined_across
from attncheck.checks.report import Culprit, Report, Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault, Joining, Rearranging
from attncheck.rule import Rule

RULE = Rule("ATN106", "concat-mismatch", "tensors joined whose other sizes differ", fix="unsafe")
ON = (Fault.JOIN, Joining, Rearranging)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report joined tensors whose other sizes differ; one of size 1 there is the one to blame."""
    if operation.clash is None:
        yield from joined_for_layer(RULE, operation, view)
        yield from joined_across(RULE, operation, view)
        yield from crossed_item(RULE, operation, view)
    empty = view.remembered(empty_operand, operation)
    for report in plain.report(RULE, operation, view):
        if empty is not None:
            yield blaming(report, empty, view)
            continue
        copied = view.remembered(copied_rows, operation)
        if copied is not None:
            yield blaming_copies(report, copied)
            continue
        if _is_one_behind(operation, report, view):
            yield report
            continue
        along = other_axis(operation, view)
        if along is not None:
            report.derivation = f"joined along axis {along}, the only one in which they differ"
            yield report
            continue
        flat = _without_features(operation, view)
        if flat is not None:
            report.culprit, report.expected = flat
            report.derivation = (
                "with features of its own on the axis that they are joined along: it has one number"
                f" for each of {report.expected[0]}"
            )
            yield report
            continue
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


def _is_one_behind(operation: Operation, report: Report, view: View) -> bool:
    """Whether tensors are joined along the axis behind their last: they lack one of 1 there."""
    event, clash = operation.event, operation.clash
    sizes = None if report.culprit is None else view.sizes(report.culprit.tensor)
    if clash is None or clash.fault is not Fault.AXIS or not isinstance(event, Joining):
        return False
    if event.kind != "cat" or sizes is None or event.axis != len(sizes):
        return False
    report.expected = (*sizes, ONE)
    report.derivation = f"with an axis {event.axis} to be joined along, as `stack` makes it"
    return True


def check_trace(view: View) -> Iterator[Report]:
    """Report contexts that stand behind the states they are for, and not beside them."""
    yield from along_steps(RULE, view)


def _without_features(operation: Operation, view: View) -> tuple[Culprit, Sizes] | None:
    """The tensor without the axis along which all others have their features; None if unclear.

    Token ids ``(B,)`` beside a context ``(B, d)``, where their embeddings are meant.
    """
    event, clash = operation.event, operation.clash
    given = [(operand, tensor, view.sizes(tensor)) for operand, tensor in operation.tensors()]
    if clash is None or clash.left is not None or not isinstance(event, Joining):
        return None
    longest = max((sizes for _, _, sizes in given if sizes), key=len, default=())
    if event.kind != "cat" or event.axis not in (-1, len(longest) - 1):
        return None
    short = [each for each in given if each[2] is not None and len(each[2]) < len(longest)]
    if len(short) != 1 or any(sizes is None for _, _, sizes in given):
        return None
    ((operand, tensor, sizes),) = short
    fits = sizes and len(sizes) == len(longest) - 1 and all(map(view.equal, sizes, longest))
    if not fits or sizes is None or operand.node is None:
        return None
    return Culprit(operand.node, tensor), (*sizes, None)


def other_axis(operation: Operation, view: View) -> int | None:
    """The only axis in which tensors differ that are joined along another one, or None.

    Joining features says that the rest is to be alike; along any other axis, what differs is what
    was meant to be joined: the past and the new positions of a cache.
    """
    event = operation.event
    listed = [view.sizes(tensor) for _, tensor in operation.tensors()]
    if not isinstance(event, Joining) or event.axis is None or len(listed) < 2:
        return None
    first, *others = listed
    if not first or event.axis % len(first) == len(first) - 1:
        return None
    differing = set[int]()
    for other in others:
        if other is None or len(other) != len(first):
            return None
        for place, (left, right) in enumerate(zip(first, other, strict=True)):
            if left is None or right is None:
                return None
            if view.facts.compare(left, right) is not Verdict.EQUAL:
                differing.add(place)
    # Batches differ where one tensor is for all of them, and wants to be expanded.
    return differing.pop() if len(differing) == 1 and 0 not in differing else None


def _unrepeated(operation: Operation, sizes: Sizes | None) -> int | None:
    """The axis of size 1 that meets another size where tensors are joined, or None."""
    event, clash = operation.event, operation.clash
    if sizes is None or clash is None or not isinstance(event, Joining):
        return None
    ends = {None if size is None else size.number for size in (clash.left, clash.right)}
    ones = [i for i, size in enumerate(sizes) if size is not None and size.number == 1]
    joined = None if event.axis is None or not sizes else event.axis % len(sizes)
    places = [place for place in ones if place != joined]
    return places[0] if 1 in ends and len(places) == 1 else None
