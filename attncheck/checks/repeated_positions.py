"""Keys and values repeated along their positions, where there are too few of their heads.

Grouped queries (Ainslie et al. 2023, "GQA", section 2.2) share the keys of ``n_kv_heads`` heads, so
that each of these is repeated ``n_heads // n_kv_heads`` times. Along another axis the same count
gives as many copies of each position, and the heads still do not meet.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import ONE, Quotient, Size, of
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Expansion
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

_REPEATS = frozenset({"repeat_interleave", "repeat", "tile"})


@record
class Repeated:
    """Axis ``axis`` is repeated ``count`` times, which would make ``heads`` of axis ``meant``."""

    axis: int
    meant: int
    count: Size
    heads: Size


def repeated_positions(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each repeat by a number of groups along an axis that is not the grouped one."""
    for operation in view.graph.operations:
        found = None if operation.elsewhere else misplaced_repeat(operation, view)
        operand = next((each for each, _ in operation.tensors()), None)
        if found is None or operand is None or operand.node is None or operation.source is None:
            continue
        sizes = view.sizes(operation.source)
        assert sizes is not None
        axis, meant = sizes[found.axis], sizes[found.meant]
        wanted = tuple(found.heads if at == found.meant else size for at, size in enumerate(sizes))
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` repeats axis {found.axis} of {text_of(sizes)}, {axis},"
            f" {found.count} times: on axis {found.meant} there still are {meant}, and they meet"
            f" {found.heads}",
            Culprit(operand.node, operation.source),
            wanted,
            f"once repeated along axis {found.meant}, so that there are {found.heads}",
            hidden=f"hidden while {found.heads} == {meant}",
            axis=found.meant,
        )


def misplaced_repeat(operation: Operation, view: View) -> Repeated | None:
    """How a repeat by ``a // b`` misses the axis of ``b``, or None."""
    if operation.kind not in _REPEATS or not isinstance(operation.event, Expansion):
        return None
    before, after = view.sizes(operation.source), view.sizes(as_tensor(operation.output))
    if before is None or after is None or len(before) != len(after):
        return None
    changed = [at for at, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    if len(changed) != 1:
        return None
    (axis,) = changed
    old, new = before[axis], after[axis]
    count = None if old is None or new is None or old == ONE else new.divided_by(old)
    atoms = [] if count is None else list(count.atoms())
    quotient = atoms[0] if len(atoms) == 1 else None
    if count is None or type(quotient) is not Quotient or count != of(quotient):
        return None
    meant = [at for at, size in enumerate(before) if view.equal(size, quotient.denominator)]
    if len(meant) != 1 or meant[0] in (axis, len(before) - 1):
        return None  # features, which stand last, may be what the rest was cut into
    return Repeated(axis, meant[0], count, quotient.numerator)
