"""Candidate fixes: small edits of the expression that failed, or of where the wrong shape was made.

Nothing here judges whether a candidate is right; `attncheck.repair.trial` applies each and traces
again. Candidates come in the order in which they would be preferred: the smallest edit at the place
that is to blame first. Those that would only broadcast the mistake away are marked, so that they
can be shown as refused.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from attncheck.attention import LEARNED, is_weight
from attncheck.checks.concat_mismatch import other_axis
from attncheck.checks.covered_twice import counts_itself
from attncheck.checks.crossed import Crossed, crossed
from attncheck.checks.empties import empty_operand
from attncheck.checks.letters import summed_clash
from attncheck.checks.lone_vectors import lone_vectors
from attncheck.checks.one_dot import over_batch
from attncheck.checks.pooled_means import whole_count
from attncheck.checks.put_in_order import order_of
from attncheck.checks.repeated_positions import misplaced_repeat
from attncheck.checks.report import Culprit, Report, Sizes
from attncheck.checks.summed_weights import constant_sum
from attncheck.checks.swapped import fits_swapped
from attncheck.checks.view import View
from attncheck.finding import Edit, Span
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Contraction, Einsum, Loss, Permutation
from attncheck.repair.axes_of_one import joined_beside, stacked, vectors_of_a_batch
from attncheck.repair.batches import BATCHES
from attncheck.repair.candidate import Candidate, Change, Generator, edit
from attncheck.repair.columns import without_table
from attncheck.repair.counts import count_of_each
from attncheck.repair.coverage import coverage_before
from attncheck.repair.dots import each_sequence
from attncheck.repair.heads import other_split
from attncheck.repair.layered import top_layer
from attncheck.repair.layers import contracted_layers, layer_size
from attncheck.repair.layouts import other_layout
from attncheck.repair.losses import classes_second, element_by_element
from attncheck.repair.mapped import other_axes
from attncheck.repair.mask_axes import move_axis
from attncheck.repair.masks import for_each_head, hide_scores, mask_scores, pass_mask
from attncheck.repair.meanings import negated, shifted
from attncheck.repair.picked import of_other_axes
from attncheck.repair.positions import placed
from attncheck.repair.ranks import dropped, other_rank
from attncheck.repair.repeats import other_order, repeated_along
from attncheck.repair.reshapes import inferred
from attncheck.repair.scales import other_scale
from attncheck.repair.sizes import other_sizes
from attncheck.repair.slices import other_places
from attncheck.repair.softmaxes import other_axis_of_softmax
from attncheck.repair.sources import unmixed
from attncheck.repair.steps import other_state
from attncheck.repair.subscripts import subscripts
from attncheck.repair.transposes import transposed_view
from attncheck.repair.unrepeated import with_copies
from attncheck.repair.wording import (
    argument_of,
    bracketed,
    call_with,
    exchanged,
    flipped,
    fresh_name,
    functions_for,
    other_flag,
    permuted,
    with_axis_of_one,
)
from attncheck.repair.written import cut_to_part
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor


def candidates(report: Report, view: View) -> Iterator[Candidate]:
    """The candidates for a report, best first."""
    generator = _GENERATORS.get(report.rule.code)
    if report.passed:
        return  # the operation itself, and what it is written with, is right
    if generator is not None:
        yield from generator(report, view)
    if report.rule.code in _OF_SIZES:
        yield from top_layer(report, view)
        yield from of_other_axes(report, view)


# -- products -----------------------------------------------------------------------------------


def _product(report: Report, view: View) -> Iterator[Candidate]:
    """Transpose the culprit or the other, resize a layer before, swap the two, another weight."""
    operands = list(report.operation.tensors())
    culprit = None if report.culprit is None else report.culprit.node
    if fits_swapped(report.operation, view) is not None:
        yield from _swap(operands, report, view)
        return
    if misplaced_repeat(report.operation, view) is not None:
        yield from repeated_along(report, view)
        return
    yield from vectors_of_a_batch(report, view)
    if view.remembered(lone_vectors, report.operation) is not None:
        return  # turned round, the vectors of all sequences would meet each of them
    yield from _by_flag(report, view)
    for operand, tensor in sorted(operands, key=lambda pair: pair[0].node is not culprit):
        yield from _flip(view, operand.node, tensor)
    yield from _rerouted(report, view)
    yield from contracted_layers(report, view)
    yield from _swap(operands, report, view)


def _swap(
    operands: list[tuple[Operand, Tensor]], report: Report, view: View
) -> Iterator[Candidate]:
    nodes = [operand.node for operand, _ in operands]
    if len(nodes) == 2 and _is_product(report.operation.node):
        left, right = nodes
        if left is not None and right is not None:
            texts = (bracketed(view, right), bracketed(view, left))
            yield Candidate(
                (Change(left, texts[0]), Change(right, texts[1])), "swap the operands", safe=False
            )


def _by_flag(report: Report, view: View) -> Iterator[Candidate]:
    """``tf.matmul(a, b, transpose_b=True)``: an operand turned by the product itself."""
    node = report.node
    if report.operation.kind == "turned_matmul" and isinstance(node, cst.Call):
        for name in ("transpose_b", "transpose_a"):
            target, text = other_flag(view, node, name)
            yield edit(target, text, f"turn it in the product ({name})")


def _is_product(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.BinaryOperation | cst.Call)


def _flip(
    view: View, node: cst.CSTNode | None, tensor: Tensor, *, result_too: bool = False
) -> Iterator[Candidate]:
    """Transpose one operand; to put a transpose where the result then turns too is a decision."""
    if node is None:
        return
    text = flipped(view, node, tensor)
    if text is not None:
        adds = text.endswith(".T")
        description = f"transpose {view.code(node)}" if adds else f"use {text}"
        yield edit(node, text, description, safe=not (adds and result_too))


def _rerouted(report: Report, view: View) -> Iterator[Candidate]:
    """Another learned weight in the place of the one that does not fit, if its shape is wanted."""
    culprit = report.culprit
    if culprit is None or report.expected is None or not is_weight(view.graph, culprit.tensor):
        return
    own = view.code(culprit.node).split(".")[0].split("[")[0]
    for site in view.traced.sites:
        tensor = as_tensor(site.value)
        sizes = view.sizes(tensor)
        if tensor is None or sizes is None or not site.name.isidentifier() or site.name == own:
            continue
        if site.node not in view.parameters or tensor.role not in LEARNED:
            continue
        if sizes == report.expected:
            yield edit(culprit.node, site.name, f"use {site.name}", safe=False)
        elif len(sizes) >= 2 and (*sizes[:-2], sizes[-1], sizes[-2]) == report.expected:
            yield edit(culprit.node, f"{site.name}.T", f"use {site.name}", safe=False)


def _project(report: Report, view: View) -> Iterator[Candidate]:
    """A learned projection of the culprit to the size that the product wants; never a slice."""
    if not isinstance(report.operation.event, Einsum):
        yield from (c for c in _product(report, view) if c.safe)
    yield from contracted_layers(report, view)
    culprit = report.culprit
    sizes = None if culprit is None else view.sizes(culprit.tensor)
    if culprit is None or sizes is None or report.expected is None:
        return
    if any(isinstance(outer, cst.ClassDef) for outer in view.source.around(culprit.node)):
        return  # the weights of an object are its own: a name would have none to stand for
    name = fresh_name(view, "W_proj")
    code = bracketed(view, culprit.node)
    axis = _contracted(report, view)
    if axis % len(sizes) < len(sizes) - 2:
        return  # no product of two projects another axis than the last two
    size, wanted = sizes[axis], report.expected[axis]
    shape = f"({size}, {wanted})"
    text = f"({code} @ {name})"
    if axis % len(sizes) != len(sizes) - 1:
        # The features of ``keys.T`` are its rows: they are projected from the left.
        text, shape = f"({name} @ {code})", f"({wanted}, {size})"
    yield Candidate(
        (Change(culprit.node, text),),
        f"project {view.code(culprit.node)} by a learned {name} of shape {shape}",
        safe=False,
        new_name=name,
    )


def _contracted(report: Report, view: View) -> int:
    """The axis of the culprit that the product sums over."""
    event = report.operation.event
    if report.culprit is None:
        return -1
    is_first = next(report.operation.tensors())[0].node is report.culprit.node
    if isinstance(event, Einsum):
        summed = summed_clash(report.operation, view)
        return -1 if summed is None else summed.axes[not is_first]
    if not isinstance(event, Contraction):
        return -1
    axes = event.left_axes if is_first else event.right_axes
    return axes[0] if axes else -1


# -- elementwise --------------------------------------------------------------------------------


def _elementwise(report: Report, view: View) -> Iterator[Candidate]:
    """Turn the culprit round, or give it the axis it lacks; else axes of 1, to be refused."""
    tensors = list(report.operation.tensors())
    culprit = report.culprit
    if culprit is None:
        return
    if report.operation.kind == "write":
        yield from cut_to_part(report, view)
        return
    if report.operation.kind == "unstacked":
        yield from other_axes(report.operation)
        return
    if isinstance(report.operation.event, Loss):
        yield from classes_second(report, view)
        return
    if report.operation.kind in BATCHES:
        yield from BATCHES[report.operation.kind](report, view)
        return
    yield from for_each_head(report, view)
    yield from with_copies(report, view)
    pairs = crossed(report.operation, view)
    if pairs is not None:
        yield from _all_pairs(pairs, tensors, view)
        return
    sizes = view.sizes(culprit.tensor)
    turned = _is_turned(sizes, report.expected)
    if turned:
        yield from _flip(view, culprit.node, culprit.tensor, result_too=True)
        yield from _flip_maker(view, culprit.tensor)
    elif sizes is not None and report.expected is not None:
        for axis in range(len(sizes) + 1):
            if (*sizes[:axis], *report.expected[axis : axis + 1], *sizes[axis:]) == report.expected:
                text = with_axis_of_one(view, culprit.node, culprit.tensor, axis, len(sizes))
                yield edit(culprit.node, text, f"give it an axis of 1 at {axis}")
    yield from _unpermuted(culprit, report.expected, view)
    order = None if turned else order_of(sizes or (), report.expected or ())
    if order is not None:
        text = permuted(view, culprit.node, culprit.tensor, order)
        yield edit(culprit.node, text, "put its axes in the order of the other's")
    yield from dropped(report, view)
    yield from _multiplied(report, view)
    for operand, tensor in tensors:
        if operand.node is None or operand.node is culprit.node:
            continue
        yield from _flip(view, operand.node, tensor, result_too=True)
        if turned and (other := view.sizes(tensor)) is not None:
            text = with_axis_of_one(view, operand.node, tensor, len(other), len(other))
            yield edit(operand.node, text, "give it an axis of 1", broadcasts=True)
    yield from other_sizes(report, view)


def _all_pairs(
    pairs: Crossed, tensors: list[tuple[Operand, Tensor]], view: View
) -> Iterator[Candidate]:
    """An axis of 1 behind the queries, and one before the keys."""
    changes: list[Change] = []
    for index, (operand, tensor) in enumerate(tensors):
        if operand.node is None:
            return
        axis = pairs.axis + (index == pairs.queries)
        text = with_axis_of_one(view, operand.node, tensor, axis, len(pairs.key) - 1)
        changes.append(Change(operand.node, text))
    yield Candidate(tuple(changes), "score every query with every key", table=True)


def _multiplied(report: Report, view: View) -> Iterator[Candidate]:
    """A product of matrices where matrices that fit one are multiplied element by element."""
    node, clash = report.node, report.operation.clash
    shapes = [view.sizes(tensor) for _, tensor in report.operation.tensors()]
    if clash is None or report.operation.kind != "multiply" or len(shapes) != 2:
        return
    left, right = shapes
    if left is None or right is None or min(len(left), len(right)) < 2 or left[-1] != right[-2]:
        return
    if isinstance(node, cst.BinaryOperation):
        yield edit(node.operator, "@", "multiply the matrices", safe=False)
    elif isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        yield edit(node.func.attr, "matmul", "multiply the matrices", safe=False)


def _is_turned(sizes: Sizes | None, expected: Sizes | None) -> bool:
    if sizes is None or expected is None or len(sizes) < 2:
        return False
    return expected == (*sizes[:-2], sizes[-1], sizes[-2])


def _flip_maker(view: View, tensor: Tensor) -> Iterator[Candidate]:
    """The transpose taken out where the culprit was made."""
    made = view.maker(tensor)
    if made is None:
        return
    text = flipped(view, made.node, tensor)
    if text is not None and not text.endswith(".T"):
        yield edit(made.node, text, f"use {text}")


def _unpermuted(culprit: Culprit, expected: Sizes | None, view: View) -> Iterator[Candidate]:
    """The tensor as it was before its axes were put in another order."""
    made = view.maker(culprit.tensor)
    if made is None or not isinstance(made.event, Permutation):
        return
    operand, tensor = next(made.tensors())
    if operand.node is not None and expected is not None and view.sizes(tensor) == expected:
        yield edit(made.node, view.source.code(operand.node), "leave its axes as they are")


# -- reductions ---------------------------------------------------------------------------------


def _keepdim(report: Report, view: View) -> Iterator[Candidate]:
    culprit = report.culprit
    made = None if culprit is None else view.maker(culprit.tensor)
    if made is None or culprit is None or not isinstance(made.node, cst.Call):
        return
    word = "keepdim" if made.spelling.startswith("torch") else "keepdims"
    text = call_with(view, made.node, f"{word}=True")
    yield edit(made.node, text, f"keep the reduced axis ({word}=True)")


#: What is wrong with sums of weights and scores otherwise, and what mends it.
_OF_SUMS: tuple[tuple[Callable[[Operation, View], object], Generator], ...] = (
    (over_batch, each_sequence),
    (counts_itself, coverage_before),
    (whole_count, count_of_each),
)


def _contraction(report: Report, view: View) -> Iterator[Candidate]:
    """Another axis in a sum of keys; other subscripts; of a product a transpose, another order."""
    if isinstance(report.operation.event, Einsum):
        yield from subscripts(report, view)
    for diagnosis, generator in _OF_SUMS:
        if view.remembered(diagnosis, report.operation) is not None:
            yield from generator(report, view)
            return
    constant = view.remembered(constant_sum, report.operation)
    if report.axis is None and constant is not None:
        return  # which axis is that of the steps is not known
    if report.axis is None:
        yield from _product(report, view)
        yield from _swapped_on(report, view)
        return
    argument = argument_of(report.node) if isinstance(report.node, cst.Call) else None
    if argument is not None:
        words = f"sum over axis {report.axis}"
        yield edit(argument, str(report.axis), words, safe=constant is None)


def _swapped_on(report: Report, view: View) -> Iterator[Candidate]:
    """The operands of a product exchanged, and those of the product that it goes into."""
    uses = [
        other
        for other in view.graph.operations
        if isinstance(other.event, Contraction) and other.uses(report.operation)
    ]
    changes: list[Change] = []
    for product in (report.operation, *uses):
        nodes = [operand.node for operand, _ in product.tensors() if operand.node is not None]
        if len(nodes) != 2 or product.elsewhere:
            return
        left, right = nodes
        changes += [Change(left, bracketed(view, right)), Change(right, bracketed(view, left))]
    if len(uses) == 1:
        words = "swap the operands of both products"
        yield Candidate(tuple(changes), words, safe=False, several=True)


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
_OF_SIZES = frozenset({"ATN101", "ATN103", "ATN104", "ATN106", "ATN109", "ATN110"})

_GENERATORS: dict[str, Generator] = {
    "ATN101": _product,
    "ATN102": _product,
    "ATN103": layer_size,
    "ATN104": other_rank,
    "ATN105": inferred,
    "ATN106": _join,
    "ATN107": subscripts,
    "ATN108": other_split,
    "ATN109": _project,
    "ATN110": _elementwise,
    "ATN201": without_table,
    "ATN202": _elementwise,
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
    "ATN503": mask_scores,
    "ATN504": hide_scores,
    "ATN505": pass_mask,
    "ATN506": other_scale,
    "ATN507": shifted,
    "ATN601": _claim,
}
