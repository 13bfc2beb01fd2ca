"""Queries, keys and values parted along the positions, though a layer puts them side by side.

``nn.Linear(d, 3 * d)(x).chunk(3, dim=1)`` of (B, T, 3*d) gives thirds of the sequence, in each of
which the queries, keys and values of a position stand beside each other. It runs wherever there are
as many positions as can be divided.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.size import const
from attncheck.checks.constructed import layer_of
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Contraction
from attncheck.rule import Rule
from attncheck.values.value import as_integer

#: A batch of samples with their condition, and of the same without it.
_GUIDED = 2


def split_positions(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each split of what a layer gives in as many parts as its features have."""
    for operation in view.graph.operations:
        if operation.kind == "chunk" and not operation.elsewhere:
            yield from _of_split(rule, operation, view)


def _of_split(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    source = operation.source
    made = None if source is None else view.graph.maker(source)
    sizes = None if source is None else view.sizes(source)
    operand = next((each for each, _ in operation.tensors()), None)
    if source is None or made is None or sizes is None or operand is None or operand.node is None:
        return
    given = {each.name: as_integer(each.value) for each in operation.operands}
    count, axis = given.get("count"), given.get("axis", 0)
    if layer_of(made) is None or not isinstance(made.event, Contraction):
        return
    if count is None or count < 2 or axis is None or not -len(sizes) <= axis < len(sizes) - 1:
        return
    if axis % len(sizes) == 0 and count == _GUIDED:
        return
    along, features = sizes[axis], sizes[-1]
    if along is None or features is None or along.divided_by(const(count)) is not None:
        return
    part = features.divided_by(const(count))
    if part is None or features.number is not None or axis % len(sizes) == len(sizes) - 1:
        return
    length = text_of((along,)).strip("(),")
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` parts axis {axis % len(sizes)} of {text_of(sizes)},"
        f" {length}, in {count}: each part is a stretch of the sequence with all {features}"
        f" features, which `{view.quote(made.node)}` gives as {count} times {part} side by side",
        Culprit(operand.node, source),
        None,
        f"parts of {part} features each, along the last axis",
        axis=len(sizes) - 1,
    )
