"""Candidate fixes: small edits of the expression that failed, or of where the wrong shape was made.

Nothing here judges whether a candidate is right; `attncheck.repair.trial` applies each and traces
again. Candidates come in the order in which they would be preferred: the smallest edit at the place
that is to blame first. Those that would only broadcast the mistake away are marked, so that they
can be shown as refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from attncheck.checks.added_to_itself import doubled_lengths
from attncheck.checks.axis_left_over import axis_left_over
from attncheck.checks.compared_copies import copies_compared
from attncheck.checks.concat_mismatch import other_axis
from attncheck.checks.copied_rows import copied_rows
from attncheck.checks.covered_twice import counts_itself
from attncheck.checks.crossed_biases import crossed_bias
from attncheck.checks.dropped_results import dropped_from
from attncheck.checks.empties import empty_operand
from attncheck.checks.inverse_axis import astray
from attncheck.checks.merged_otherwise import parts_apart
from attncheck.checks.normed_apart import norms_apart
from attncheck.checks.one_dot import over_batch
from attncheck.checks.one_left_over import one_left_over
from attncheck.checks.padded_means import padded_mean
from attncheck.checks.pooled_features import pooled_features
from attncheck.checks.pooled_means import whole_count
from attncheck.checks.report import Report
from attncheck.checks.summed_weights import constant_sum
from attncheck.checks.view import View
from attncheck.finding import Edit, Span
from attncheck.graph import Operation
from attncheck.operators.events import Contraction, Einsum, Reduction
from attncheck.repair.axes_of_one import behind_batch, joined_beside, stacked
from attncheck.repair.candidate import Candidate, Change, Generator, edit
from attncheck.repair.columns import without_table
from attncheck.repair.counts import count_of_each, count_of_kept
from attncheck.repair.coverage import coverage_before
from attncheck.repair.dots import each_sequence
from attncheck.repair.earlier import earlier_steps
from attncheck.repair.elementwise import elementwise
from attncheck.repair.heads import other_split
from attncheck.repair.layered import top_layer
from attncheck.repair.layers import layer_size
from attncheck.repair.layouts import other_layout
from attncheck.repair.losses import element_by_element
from attncheck.repair.mask_axes import move_axis
from attncheck.repair.masks import hide_scores, kept_result, mask_scores, pass_mask
from attncheck.repair.meanings import negated, shifted
from attncheck.repair.norms import back_along, cosines_of_features, norms_of_features, norms_of_rows
from attncheck.repair.picked import of_other_axes
from attncheck.repair.pooled import channels_last
from attncheck.repair.positions import placed
from attncheck.repair.products import product, projected
from attncheck.repair.ranks import other_rank
from attncheck.repair.repeats import other_order
from attncheck.repair.reshapes import inferred
from attncheck.repair.rounds import as_it_began
from attncheck.repair.scales import other_scale
from attncheck.repair.siblings import like_siblings
from attncheck.repair.sizes import other_sizes
from attncheck.repair.slices import other_places
from attncheck.repair.softmaxes import other_axis_of_softmax
from attncheck.repair.sources import unmixed
from attncheck.repair.steps import other_state
from attncheck.repair.subscripts import subscripts
from attncheck.repair.transposes import transposed_view
from attncheck.repair.wording import (
    argument_of,
    axis_kept,
    bracketed,
    call_with,
    exchanged,
    functions_for,
)


def candidates(report: Report, view: View, *, further: bool) -> Iterator[Candidate]:
    """The candidates for a report, best first; with those `further` back in the program.

    These do for what is wrong for certain: one of many steps can be changed to suit any reading.
    """
    generator = _GENERATORS.get(report.rule.code)
    further = further and report.rule.code in _OF_SIZES
    if further:
        yield from as_it_began(report, view)
        yield from like_siblings(report, view)
    if view.remembered(dropped_from, report.operation) is not None:
        yield from kept_result(report, view)
    if report.passed:
        return  # the operation itself, and what it is written with, is right
    if generator is not None:
        yield from generator(report, view)
    if report.rule.code in _OF_SIZES:
        yield from top_layer(report, view)
        yield from of_other_axes(report, view)
    if further:
        yield from earlier_steps(report, view)


# -- reductions ---------------------------------------------------------------------------------


def _keepdim(report: Report, view: View) -> Iterator[Candidate]:
    culprit = report.culprit
    made = None if culprit is None else view.maker(culprit.tensor)
    if made is None or culprit is None or not isinstance(made.node, cst.Call):
        return
    event = made.event
    if isinstance(event, Reduction) and event.axes is None:
        axis = "dim=-1, keepdim=True" if made.spelling.startswith("torch") else _LAST_KEPT
        text = call_with(view, made.node, axis)
        yield edit(made.node, text, "reduce the last axis, and keep it", safe=False)
        return
    yield edit(made.node, *axis_kept(view, made, made.node))


#: How numpy reduces the last axis and keeps it as 1.
_LAST_KEPT = "axis=-1, keepdims=True"
#: What is wrong with sums of weights and scores otherwise, and what mends it.
_OF_SUMS: tuple[tuple[Callable[[Operation, View], object], Generator], ...] = (
    (over_batch, each_sequence),
    (counts_itself, coverage_before),
    (whole_count, count_of_each),
    (pooled_features, channels_last),
    (norms_apart, norms_of_features),
    (copies_compared, cosines_of_features),
    (astray, back_along),
)


def _contraction(report: Report, view: View) -> Iterator[Candidate]:
    """Another axis in a sum of keys; other subscripts; of a product a transpose, another order."""
    if isinstance(report.operation.event, Einsum):
        yield from subscripts(report, view)
    if isinstance(report.operation.event, Reduction) and report.operation.event.kind == "norm":
        yield from norms_of_rows(report, view)
        return
    for diagnosis, generator in _OF_SUMS:
        if view.remembered(diagnosis, report.operation) is not None:
            yield from generator(report, view)
            return
    constant = view.remembered(constant_sum, report.operation)
    if report.axis is None and constant is not None:
        return  # which axis is that of the steps is not known
    if report.axis is None:
        yield from product(report, view)
        yield from _swapped_on(report, view)
        return
    argument = argument_of(report.node) if isinstance(report.node, cst.Call) else None
    if argument is not None:
        words = f"sum over axis {report.axis}"
        yield edit(argument, str(report.axis), words, safe=constant is None)


def _masked_weights(report: Report, view: View) -> Iterator[Candidate]:
    """The mask on the scores; of a mean, the positions counted that it keeps."""
    mean = view.remembered(padded_mean, report.operation) is not None
    yield from count_of_kept(report, view) if mean else mask_scores(report, view)


def _swapped_on(report: Report, view: View) -> Iterator[Candidate]:
    """The operands of a product exchanged, and those of the product that it goes into."""
    uses = [
        other
        for other in view.graph.operations
        if isinstance(other.event, Contraction) and other.uses(report.operation)
    ]
    changes: list[Change] = []
    for each in (report.operation, *uses):
        nodes = [operand.node for operand, _ in each.tensors() if operand.node is not None]
        if len(nodes) != 2 or each.elsewhere:
            return
        left, right = nodes
        changes += [Change(left, bracketed(view, right)), Change(right, bracketed(view, left))]
    if len(uses) == 1:
        words = "swap the operands of both products"
        yield Candidate(tuple(changes), words, safe=False, several=True)


def _misaligned(report: Report, view: View) -> Iterator[Candidate]:
    """Another layout of an operand; a step before, where that left an axis or its order wrong.

    Of lengths that were added to themselves: a table of sums.
    """
    if any(found.sum is report.operation for found in view.once(doubled_lengths)):
        node = next(report.operation.tensors())[0].node
        if node is not None:
            one = bracketed(view, node)
            text = f"{one}[:, None] + {one}[None, :]"
            words = "add each length to each other"
            yield Candidate((Change(report.node, text),), words, table=True)
        return
    yield from _sides_exchanged(report, view)
    if any(view.remembered(each, report.operation) for each in (parts_apart, axis_left_over)):
        yield from earlier_steps(report, view)
    yield from _without_the_one(report, view)
    yield from elementwise(report, view)


def _without_the_one(report: Report, view: View) -> Iterator[Candidate]:
    """``x`` for ``x[..., None]`` and ``x.unsqueeze(-1)``, where these have an axis too many."""
    found = view.remembered(one_left_over, report.operation)
    made = None if found is None else view.graph.maker(found.tensor)
    source = None if made is None else next(made.tensors(), None)
    if found is None or made is None or source is None or source[0].node is None:
        return
    if made.node is found.operand.node:
        text = view.code(source[0].node)
        yield edit(made.node, text, "leave out the axis of 1", safe=False)


def _sides_exchanged(report: Report, view: View) -> Iterator[Candidate]:
    """The two sides of a product of scores in each other's place."""
    for operation in view.graph.users(report.operation):
        found = view.remembered(crossed_bias, operation)
        names = () if found is None else (found.left, found.right)
        if names and all(isinstance(node, cst.Name) for node in names):
            texts = (view.code(node) for node in reversed(names))
            changes = tuple(Change(node, text) for node, text in zip(names, texts, strict=True))
            yield Candidate(changes, "exchange the two sides", safe=False)
            return


def _squeeze(report: Report, view: View) -> Iterator[Candidate]:
    if report.axis is not None and isinstance(report.node, cst.Call):
        text = call_with(view, report.node, str(report.axis))
        yield edit(report.node, text, f"squeeze axis {report.axis} only")


# -- joins, subscripts ---------------------------------------------------------------------------


def _join(report: Report, view: View) -> Iterator[Candidate]:
    """The tensor that is 1 long repeated, or another axis to join along."""
    node = report.node
    argument = argument_of(node) if isinstance(node, cst.Call) else None
    if report.operation.clash is None:
        if argument is not None and report.axis is not None:
            yield edit(argument, str(report.axis), f"join along axis {report.axis}", safe=False)
        if report.culprit is not None and report.moved is not None:
            one, other = sorted(report.moved)
            text = exchanged(view, report.culprit.node, report.culprit.tensor, one, other)
            words = f"exchange axes {one} and {other}"
            yield edit(report.culprit.node, text, words, safe=False)
        return
    if view.remembered(empty_operand, report.operation) is not None:
        yield from other_sizes(report, view)
        return  # joined along another axis it would be nothing by accident
    copied = view.remembered(copied_rows, report.operation)
    if copied is not None:
        yield from behind_batch(copied, view)
        return
    yield from stacked(report, view)
    yield from _repeated(report, view)
    yield from joined_beside(report, view)
    yield from other_sizes(report, view)
    if argument is None:
        return
    along = other_axis(report.operation, view)
    given = view.sizes(next(report.operation.tensors())[1])
    last = given is not None and along == len(given) - 1
    for axis in ("-1", "0", "1") if along is None else ("-1" if last else str(along),):
        if view.code(argument) != axis:
            yield edit(argument, axis, f"join along axis {axis}", safe=False)


def _repeated(report: Report, view: View) -> Iterator[Candidate]:
    culprit, axis = report.culprit, report.axis
    if culprit is None or axis is None:
        return
    code = view.code(culprit.node)
    for operand, tensor in report.operation.tensors():
        sizes = view.sizes(tensor)
        if operand.node is None or operand.node is culprit.node or sizes is None:
            continue
        times = f"{bracketed(view, operand.node)}.shape[{axis}]"
        if culprit.tensor.library == "torch":
            text = f"{bracketed(view, culprit.node)}.repeat_interleave({times}, dim={axis})"
        else:
            module = functions_for(view, culprit.tensor.library)
            text = f"{module}.repeat({code}, {times}, axis={axis})"
        yield edit(culprit.node, text, f"repeat it along axis {axis}", safe=False)


def _claim(report: Report, view: View) -> Iterator[Candidate]:
    """The claim of a comment as the trace has it."""
    if report.claim is None:
        return
    said, known = report.claim
    line = view.line(report.node)
    text = view.source.lines[line - 1]
    column = text.find(said, text.find("#"))
    if column >= 0:
        span = Span(line, column + 1, line, column + 1 + len(said))
        yield Candidate((), f"say {known}", safe=False, edits=(Edit(span, known),))


#: Rules about sizes and axes that do not fit: of them the layers of a state may be to blame.
_OF_SIZES = frozenset({"ATN101", "ATN102", "ATN103", "ATN104", "ATN106", "ATN109", "ATN110"})

_GENERATORS: dict[str, Generator] = {
    "ATN101": product,
    "ATN102": product,
    "ATN103": layer_size,
    "ATN104": other_rank,
    "ATN105": inferred,
    "ATN106": _join,
    "ATN107": subscripts,
    "ATN108": other_split,
    "ATN109": projected,
    "ATN110": elementwise,
    "ATN201": without_table,
    "ATN202": _misaligned,
    "ATN203": _keepdim,
    "ATN204": element_by_element,
    "ATN205": _squeeze,
    "ATN301": other_axis_of_softmax,
    "ATN302": _contraction,
    "ATN303": transposed_view,
    "ATN304": other_layout,
    "ATN305": other_places,
    "ATN306": placed,
    "ATN307": other_order,
    "ATN308": unmixed,
    "ATN401": other_state,
    "ATN402": other_state,
    "ATN501": move_axis,
    "ATN502": negated,
    "ATN503": _masked_weights,
    "ATN504": hide_scores,
    "ATN505": pass_mask,
    "ATN506": other_scale,
    "ATN507": shifted,
    "ATN601": _claim,
}
