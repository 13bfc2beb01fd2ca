"""Positions belong to time: counted over or laid along another axis they say nothing of order.

Vaswani et al. 2017, section 3.5 (sums of sines), Su et al. 2021, section 3.2 (rotary).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Tag
from attncheck.algebra.size import Size
from attncheck.attention import behind
from attncheck.checks.layouts import Witness, Witnesses, birth_of
from attncheck.checks.report import Culprit, Report
from attncheck.checks.tables import (
    Count,
    Meeting,
    axes_of,
    count_of,
    index_items,
    meetings,
    places_of,
)
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Attention, Elementwise, Recurrence, Reshaping
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import Int, as_tensor

if TYPE_CHECKING:
    import libcst as cst

RULE = Rule(
    "ATN306",
    "position-axis",
    "a positional table sliced by, indexed by or added along an axis that is not time",
    fix="unsafe",
)


@record
class Misplaced:
    """A table that is counted over another axis than it is laid along.

    ``counted`` and ``along`` are places in the tensor that the table meets.
    """

    count: Count
    meeting: Meeting
    counted: int
    along: int
    size: Size


def check_trace(view: View) -> Iterator[Report]:
    """Report tables that are counted over a wrong axis, that give one row, or that follow heads."""
    for meeting in meetings(view):
        if meeting.operation.clash is not None:
            continue
        found = miscounted(meeting, view)
        if found is not None and not found.count.operation.elsewhere:
            yield _miscounted_report(found, view)
            continue
        if meeting.given:
            continue
        row = one_row(meeting, view)
        if row is not None and not row[0].elsewhere:
            yield _one_row_report(meeting, *row, view)
            continue
        report = _along_heads(meeting, view) or _along_batch(meeting, view)
        if report is not None:
            yield report


# -- counted over one axis, laid along another -----------------------------------------------------


def miscounted(meeting: Meeting, view: View) -> Misplaced | None:
    """How a table is counted over another axis of what it meets, or None."""
    shape = view.shape(meeting.tensor)
    if shape is None or not shape.closed:
        return None
    for own, met in meeting.pairs:
        if own is None or met is None or met.size is None or own.is_one or met.is_one:
            continue
        count = count_of(view, meeting.table, own)
        if count is None:
            continue
        size, along = view.facts.resolve(count.size), view.facts.resolve(met.size)
        if size.number is not None or view.facts.compare(size, along) is Verdict.EQUAL:
            continue
        if any(symbol.found for symbol in along.symbols()):
            continue  # a size that has only got its variable's name may be any
        if sum(each is not None and view.equal(each.size, size) for each, _ in meeting.pairs) > 1:
            continue  # a table of positions by positions
        places = [place for place, axis in enumerate(shape.lead) if _has(axis, size, view)]
        here = [place for place, axis in enumerate(shape.lead) if _has(axis, along, view)]
        if len(places) == 1 and len(here) == 1 and size.symbol is not None:
            return Misplaced(count, meeting, places[0], here[0], along)
    return None


def _has(axis: Axis, size: Size, view: View) -> bool:
    return axis.size is not None and view.facts.resolve(axis.size) == size


def _miscounted_report(found: Misplaced, view: View) -> Report:
    made, meeting = found.count.operation, found.meeting
    size, other = found.count.size, found.size
    message = (
        f"`{view.quote(made.node)}` counts positions over axis {found.counted} ({size}) of what"
        f" `{view.quote(meeting.operation.node)}` lays them along in axis {found.along} ({other})"
    )
    output = as_tensor(made.output)
    assert output is not None
    derivation = (
        f"{other} positions, one for each place of axis {found.along}, so that each step of the"
        " sequence gets its own"
    )
    return Report(
        RULE,
        made,
        made.node,
        message,
        Culprit(made.node, output),
        None,
        derivation,
        hidden=f"hidden while {size} == {other}",
    )


# -- one row for all positions ---------------------------------------------------------------------


def one_row(meeting: Meeting, view: View) -> tuple[Operation, cst.CSTNode | None, int] | None:
    """The index that takes one row of a table, numbered by the length of the sequence it meets.

    With how the number is written, and the axis of the sequence that is as long.
    """
    lengths = {
        view.facts.resolve(axis.size): place
        for place, axis in places_of(view.shape(meeting.tensor), view.facts)
        if axis.size is not None
    }
    own = {view.facts.resolve(axis.size) for axis in _long(meeting.table) if axis.size is not None}
    for made in behind(view.graph, meeting.table):
        for item, node in index_items(made):
            size = view.facts.resolve(item.size) if type(item) is Int and item.size else None
            if size is None or size.symbol is None or size in own or size not in lengths:
                continue
            return made, node, lengths[size]
    return None


def _long(table: Tensor) -> Iterator[Axis]:
    """The axes of a table along which it differs."""
    return (axis for axis in axes_of(table.shape) if not axis.is_one)


def _one_row_report(
    meeting: Meeting, made: Operation, node: cst.CSTNode | None, axis: int, view: View
) -> Report:
    output = as_tensor(made.output)
    assert output is not None
    sizes = dict(places_of(view.shape(meeting.tensor), view.facts))
    size = sizes[axis].size
    message = (
        f"`{view.quote(made.node)}` takes one row of the table, whose number `{view.quote(node)}`"
        f" is the length of axis {axis} ({size}): every position gets the same vector, and the"
        " model does not know the order of its inputs; it broadcasts, so nothing raises"
    )
    return Report(
        RULE,
        made,
        made.node,
        message,
        Culprit(made.node, output),
        None,
        f"the first {size} rows, `:{size}`, one for each position",
    )


# -- along the heads -------------------------------------------------------------------------------


def _along_heads(meeting: Meeting, view: View) -> Report | None:
    """A table laid along an axis that was split off the features, and not along the positions.

    Only attentions tell which axis is which: all that the result goes into as a query or a key have
    that axis beside the positions, and none of them runs along it.
    """
    for own, met in meeting.pairs:
        if own is None or met is None or own.is_one or met.is_one or met.tag is None:
            continue
        if count_of(view, meeting.table, own) is None or not _is_split(met, view):
            continue
        uses = [use for use in _uses(view, meeting.operation) if use.has(met.tag)]
        if uses and not any(use.runs_along(met.tag) for use in uses):
            return _heads_report(meeting, met, uses[0], view)
    return None


def _is_split(axis: Axis, view: View) -> bool:
    """Whether an axis was made by splitting another one in this trace."""
    tag = axis.tag
    assert tag is not None
    return any(
        f"#{operation.number}" == tag.root and isinstance(operation.event, Reshaping)
        for operation in view.graph.operations
    )


@record
class _Use:
    """A tensor as the query or the key of an attention, and the axes that scores run along."""

    operation: Operation
    tensor: Tensor
    times: tuple[Axis, ...]

    def has(self, tag: Tag) -> bool:
        """Whether the tensor still has an axis."""
        return any(_is(axis, tag) for axis in axes_of(self.tensor.shape))

    def runs_along(self, tag: Tag) -> bool:
        """Whether queries or keys are told apart along an axis."""
        return any(_is(axis, tag) for axis in self.times)


def _is(axis: Axis, tag: Tag) -> bool:
    return axis.tag is not None and (axis.tag.root, axis.tag.index) == (tag.root, tag.index)


def _uses(view: View, source: Operation) -> Iterator[_Use]:
    """The attentions in which a result is the query or the key."""
    for operation in view.graph.operations:
        event = operation.event
        if operation.number < source.number or not isinstance(event, Attention):
            continue
        for operand, tensor in list(operation.tensors())[:2]:
            if operand.name in ("query", "key") and _rests_on(view, tensor, source):
                yield _Use(operation, tensor, (event.query, event.key))
    for site in view.sites:
        product = site.scores
        output = None if product is None else as_tensor(product.output)
        if product is None or output is None or product.number < source.number:
            continue
        times = axes_of(view.shape(output))[-2:]
        for _, tensor in product.tensors():
            if _rests_on(view, tensor, source):
                yield _Use(product, tensor, times)


def _rests_on(view: View, tensor: Tensor, source: Operation) -> bool:
    return any(made is source for made in behind(view.graph, tensor))


def _heads_report(meeting: Meeting, axis: Axis, use: _Use, view: View) -> Report | None:
    operation = meeting.operation
    depth = len(use.operation.place.calls)
    calls = operation.place.calls
    node, function = operation.node, operation.place.function
    if len(calls) > depth:
        node, function = calls[depth].node, calls[depth].function
    elif operation.elsewhere:
        return None
    times = [str(each) for each in use.times if each.size is not None]
    message = (
        f"`{view.quote(node)}` lays positions along {axis}, which"
        f" `{view.quote(use.operation.node)}` takes for separate attentions: all positions of a"
        f" head get one turn, and the order along {times[0] if times else 'time'} is lost; the"
        " shapes agree, so nothing raises"
    )
    return Report(
        RULE,
        operation,
        node,
        message,
        Culprit(node, meeting.tensor),
        view.sizes(use.tensor),
        "the table laid along the axis that queries and keys are scored over: heads moved in front"
        " of it first",
        function=function,
    )


# -- along the batch -------------------------------------------------------------------------------


@record
class Numbered:
    """A table that numbers the sequences of a batch: where it is counted, and who says batch."""

    count: Count
    meeting: Meeting
    place: int
    witness: Witness


def over_batch(meeting: Meeting, view: View) -> Numbered | None:
    """How a table is counted over and laid along an axis that all the code takes for the batch.

    Another axis of the sequence has to be there, along which the table says nothing.
    """
    shape = view.shape(meeting.tensor)
    if shape is None or not shape.closed or len(shape.lead) < 3:
        return None
    for own, met in meeting.pairs:
        if own is None or met is None or met.size is None or own.is_one or met.is_one:
            continue
        count = count_of(view, meeting.table, own)
        if count is None or view.facts.compare(count.size, met.size) is not Verdict.EQUAL:
            continue
        if count.operation.kind != "index":
            continue  # what is looked up for each sequence may be a table of sequences
        places = [place for place, axis in enumerate(shape.lead) if _has(axis, met.size, view)]
        others = [each for each in view.once(Witnesses).of(met) if not _is_a_meeting(each)]
        said = others or list(_apart_in_attention(met, view))
        if places == [0] and said and all(each.counts == "batch" for each in said):
            return Numbered(count, meeting, 0, said[0]) if _is_blind(meeting) else None
    return None


def _is_a_meeting(witness: Witness) -> bool:
    """Whether it is a table of positions that speaks: it is what the question is about."""
    made = witness.source
    return made is not None and isinstance(made.event, Elementwise)


def _apart_in_attention(axis: Axis, view: View) -> Iterator[Witness]:
    """That all attention is within each place of an axis, if the trace has any and runs over none.

    What attends along another axis by turns may have its positions in either.
    """
    birth, found = birth_of(axis), list[Witness]()
    if any(isinstance(made.event, Recurrence) for made in view.graph.operations):
        return
    for site in view.sites:
        weights = view.shape(as_tensor(site.softmax.output))
        axes = weights.axes if weights is not None and weights.closed else ()
        births = [birth_of(each) for each in axes]
        if len(axes) < 3 or births[0] != birth or birth in births[1:] or birth is None:
            return
        words = f"`{view.quote(site.softmax.node)}` attends within each place of axis {{axis}}"
        found.append(Witness("batch", words, site.softmax))
    yield from found[:1]


def _is_blind(meeting: Meeting) -> bool:
    """Whether a table is the same along an axis behind its first one and before the features."""
    return any(
        own is not None and own.is_one and met is not None and not met.is_one
        for own, met in meeting.pairs[1:-1]
    )


def _along_batch(meeting: Meeting, view: View) -> Report | None:
    found = over_batch(meeting, view)
    if found is None or found.count.operation.elsewhere:
        return None
    made = found.count.operation
    output = as_tensor(made.output)
    assert output is not None
    because = found.witness.words.format(axis=found.place)
    message = (
        f"`{view.quote(made.node)}` takes a row of the table for each sequence of the batch"
        f" ({because}): all positions of a sequence get the same vector, and the model does not"
        " know their order; it broadcasts, so nothing raises"
    )
    return Report(
        RULE,
        made,
        made.node,
        message,
        Culprit(made.node, output),
        None,
        "a row for each position, in an axis of its own beside the batch",
    )
