"""Heads that do not divide the width: ``n_heads * d_k`` is not what is split into heads.

Vaswani et al. 2017, section 3.2.2: ``d_k = d_model / n_heads``, so that all heads together are as
wide as the model.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.forced import forced_split
from attncheck.checks.heads import Split, head_split
from attncheck.checks.report import Culprit, Report, hidden_while, text_of
from attncheck.checks.rotated_widths import rotated_widths
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Fault, Selection
from attncheck.rule import Rule

RULE = Rule(
    "ATN108",
    "head-split",
    "heads do not divide the width, or n_heads*d_k is not the size being split",
    fix="unsafe",
)
ON = (Fault.COUNT, Fault.SPLIT, Fault.GUARD, Selection)


def check_trace(view: View) -> Iterator[Report]:
    """Report rotations of a whole width that is split into heads behind them."""
    yield from rotated_widths(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a split into heads, or a merge of heads, that does not add up."""
    clash = operation.clash
    if clash is None:
        yield from _along_another_axis(operation, view)
        return
    if clash.fault is Fault.GUARD:
        yield Report(
            RULE,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` stops the program: going on {clash.text}",
            derivation=f"of the two sizes compared, {clash.left} and {clash.right}, one is"
            " computed wrongly",
        )
        return
    split = head_split(operation, view)
    operand, tensor = next(operation.tensors(), (None, None))
    if split is None or operand is None or tensor is None or operand.node is None:
        return
    together = split.heads * split.each
    verb = "merges" if split.is_merge else "splits"
    parts = f"{split.heads} heads of {split.each}"
    to = f"{parts} into {split.width}" if split.is_merge else f"{split.width} into {parts}"
    expected = list(view.sizes(tensor) or ())
    derivation = f"as {parts} are {together} features"
    if split.is_merge:
        expected[-2:] = [split.heads, split.width // split.heads]
        derivation = f"so that the heads together are {split.width} features"
    elif expected:
        expected[-1] = together
    yield Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` {verb} {to}, but these are {together}{_uneven(split)}",
        Culprit(operand.node, tensor),
        tuple(expected) or None,
        f"{derivation}: {text_of(split.before)} to {text_of(split.after)}",
        hidden=hidden_while(operation, view.facts),
    )


def _along_another_axis(operation: Operation, view: View) -> Iterator[Report]:
    """Report a split of an axis of which only the parts say how long it is, beside one that is."""
    found = forced_split(operation, view)
    operand = next((each for each, _ in operation.tensors()), None)
    if found is None or operand is None or operand.node is None:
        return
    yield Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` splits axis {found.axis} ({found.unseen}) into parts that"
        f" are {found.total} together; axis {found.other} of `{view.quote(operand.node)}` is that",
        Culprit(operand.node, found.tensor),
        None,
        f"split along axis {found.other}, which has as many as the parts",
        hidden=f"hidden while {found.unseen} == {found.total}",
        axis=found.other,
    )


def _uneven(split: Split) -> str:
    """What to say where the number of heads is known not to divide the width."""
    width, heads = split.width.evaluate(), split.heads.evaluate()
    if width is None or not heads or width % heads == 0:
        return ""
    return f": {heads} does not divide {width}"
