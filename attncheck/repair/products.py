"""Products that do not fit: an operand transposed, both exchanged, other axes, another weight."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import Size
from attncheck.attention import LEARNED, is_weight
from attncheck.checks.letters import summed_clash
from attncheck.checks.lone_vectors import lone_vectors
from attncheck.checks.repeated_positions import misplaced_repeat
from attncheck.checks.report import Report
from attncheck.checks.swapped import fits_swapped
from attncheck.checks.view import View
from attncheck.evidence.roles import projection_of
from attncheck.graph import Operand
from attncheck.operators.events import Contraction, Einsum
from attncheck.repair.axes_of_one import vectors_of_a_batch
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.dots import along_others
from attncheck.repair.heads import size_text
from attncheck.repair.layers import contracted_layers
from attncheck.repair.repeats import repeated_along
from attncheck.repair.wording import bracketed, flipped, fresh_name, other_flag
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor


def product(report: Report, view: View) -> Iterator[Candidate]:
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
    yield from along_others(report, view)
    if view.remembered(lone_vectors, report.operation) is not None:
        return  # turned round, the vectors of all sequences would meet each of them
    yield from _by_flag(report, view)
    for operand, tensor in sorted(operands, key=lambda pair: pair[0].node is not culprit):
        yield from flip(view, operand.node, tensor)
    yield from _rerouted(report, view)
    yield from _of_another_source(operands, report, view)
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


def flip(
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


def _of_another_source(
    operands: list[tuple[Operand, Tensor]], report: Report, view: View
) -> Iterator[Candidate]:
    """Another argument that is as wide as a learned weight wants what it projects."""
    if len(operands) != 2:
        return
    (given, tensor), (by, weight) = operands
    own, sizes = view.sizes(tensor), view.sizes(weight)
    if given.node is None or own is None or sizes is None or len(sizes) != 2:
        return
    name = view.code(by.node).removeprefix("self.")
    if projection_of(name) is None and not is_weight(view.graph, weight):
        return
    for site in view.traced.sites:
        other = as_tensor(site.value)
        wide = view.sizes(other)
        if other is None or wide is None or len(wide) != len(own) or other.role in LEARNED:
            continue
        if site.node not in view.parameters or projection_of(site.name) is not None:
            continue
        if wide[-1] == sizes[0] and site.name.isidentifier():
            yield edit(given.node, site.name, f"project {site.name}", safe=False)


def projected(report: Report, view: View) -> Iterator[Candidate]:
    """A learned projection of the culprit to the size that the product wants; never a slice."""
    if report.culprit is not None and report.expected is not None:
        yield from _by_dense(report, view, report.culprit.node, report.expected[-1])
    if not isinstance(report.operation.event, Einsum):
        yield from (c for c in product(report, view) if c.safe)
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


def _by_dense(
    report: Report, view: View, node: cst.CSTNode, wanted: Size | None
) -> Iterator[Candidate]:
    """A Dense of Keras in front of a layer of Keras, as the layer is written: ``layers.Dense``."""
    made = getattr(report.node, "func", None)
    layer = made.func if isinstance(made, cst.Call) else None
    if not report.operation.spelling.startswith("keras.layers") or wanted is None:
        return
    if not isinstance(layer, cst.Attribute):
        return
    size = str(wanted) if wanted.number is not None else size_text(report, view, wanted)
    if size is not None:
        dense = f"{view.source.code(layer.value)}.Dense({size})"
        words = f"project {view.code(node)} to {size}"
        yield edit(node, f"{dense}({view.source.code(node)})", words, safe=False)


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
