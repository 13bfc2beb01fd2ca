"""Candidate fixes for a layer that is given another size than it was made for.

The constructor's argument is written in the names that its function has; the call is given the
tensor turned, its last axes merged, or another tensor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeAlias

import libcst as cst

from attncheck.algebra.facts import Verdict
from attncheck.algebra.quotients import cancel_quotients
from attncheck.algebra.size import ONE, ZERO, Quotient, Size, const, of
from attncheck.checks.constructed import Declared, argument, declared, layer_of, settings
from attncheck.checks.crossed_widths import Met, crossed
from attncheck.checks.forced import Forced, forced_input
from attncheck.checks.half_pooled import half_pooled
from attncheck.checks.inputs import KEEPING, joined_sizes, maker_layer, merges_to, unused_parameter
from attncheck.checks.letters import summed_clash
from attncheck.checks.lost_channels import LostChannels, lost_channels
from attncheck.checks.reduced_features import ReducedFeatures, reduced_features
from attncheck.checks.report import Report
from attncheck.checks.unpassed import unpassed_argument
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import (
    Attention,
    Contraction,
    Einsum,
    Elementwise,
    Joining,
    Reduction,
)
from attncheck.repair.asserts import Names, axis_of
from attncheck.repair.candidate import Candidate, Change, edit
from attncheck.repair.own_names import by_numbers
from attncheck.repair.pooled import whole_window
from attncheck.repair.wording import argument_of, bracketed, call_with, with_axis_of_one
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_size, as_tensor

Candidates: TypeAlias = Iterator[Candidate]


def layer_size(report: Report, view: View) -> Candidates:
    """The constructor's size, or what the call is given: first at the place that is to blame."""
    elsewhere = _elsewhere(report, view)
    if elsewhere is not None:
        yield from elsewhere
        return
    for pair in view.once(crossed):
        if pair[0].operation is report.operation:
            yield from _uncrossed(*pair, view)
            return
    outside = view.remembered(unpassed_argument, report.operation)
    if outside is not None:
        text = call_with(view, outside.call, f"{outside.name}={outside.name}")
        yield edit(outside.call, text, f"pass {outside.name} on", safe=False)
        return
    tensor = _tensor_of(report.operation)
    source = None if tensor is None else maker_layer(view, tensor, KEEPING)
    yield from _keyword_sizes(report, view, source)
    if report.resized is not None:
        # The finding stands at the constructor, where the assert about what was made can follow.
        for candidate in resized(view, *report.resized, source, report.operation):
            yield replace(
                candidate, proof=_proof(view, report.resized[0], candidate.changes[0].text)
            )
        return
    yield from _input(report, view)
    clash = report.operation.clash
    made = None if clash is None else declared(view, report.operation, clash.right)
    if made is not None and made.is_making and clash is not None and clash.left is not None:
        yield from resized(view, made, clash.left, source, report.operation)


def _uncrossed(one: Met, other: Met, view: View) -> Candidates:
    """Two layers in the place of each other."""
    if one.layer is not None and other.layer is not None:
        first, second = view.code(one.layer), view.code(other.layer)
        changes = Change(one.layer, second), Change(other.layer, first)
        yield Candidate(changes, f"exchange {first} and {second}", safe=False, several=True)


def _elsewhere(report: Report, view: View) -> Candidates | None:
    """Ways to mend what is neither the layer's size nor its call's; None where one of these is."""
    lost = lost_channels(report.operation, view)
    if lost is not None:
        return _with_channels(view, lost)
    pooled = half_pooled(report.operation, view)
    if pooled is not None:
        return whole_window(pooled, view)
    reduced = reduced_features(report.operation, view)
    if reduced is not None:
        return _other_axis_reduced(reduced, view)
    turned = None if report.resized is not None else forced_input(report.operation, view)
    return None if turned is None else _channels_second(report, turned, view)


def _other_axis_reduced(found: ReducedFeatures, view: View) -> Candidates:
    """The positions left out, and not the features: another axis, or the input turned."""
    made, words = found.made, f"leave out axis {found.meant}"
    operand = next(iter(made.operands), None)
    if isinstance(made.node, cst.Subscript):
        index = made.node.slice[found.lost].slice if found.lost < len(made.node.slice) else None
        if isinstance(index, cst.Index) and operand is not None and operand.node is not None:
            keys = [":"] * found.meant + [view.source.code(index.value)]
            text = f"{bracketed(view, operand.node)}[{', '.join(keys)}]"
            yield edit(made.node, text, words, safe=False)
        return
    axis = argument_of(made.node) if isinstance(made.node, cst.Call) else None
    if isinstance(made.event, Reduction) and axis is not None:
        yield edit(axis, str(found.meant), words, safe=False)
    elif operand is not None and operand.node is not None and made.spelling.startswith("torch."):
        first, second = sorted((found.lost, found.meant))
        text = f"{bracketed(view, operand.node)}.transpose({first}, {second})"
        yield edit(operand.node, text, f"transpose axes {first} and {second}", safe=False)


def _channels_second(report: Report, found: Forced, view: View) -> Candidates:
    """The input with its channels where the layer takes them, and the result turned back.

    What a normalisation gives stands in for its input; what a convolution gives may well stay.
    """
    if report.culprit is None or not report.operation.spelling.startswith("torch."):
        return
    first, second = sorted((found.contracted, found.other))
    swap = f".transpose({first}, {second})"
    given = Change(report.culprit.node, f"{bracketed(view, report.culprit.node)}{swap}")
    words = f"transpose axes {first} and {second}"
    ways = [(given,), (given, Change(report.node, swap, after=True))]
    keeps = isinstance(report.operation.event, Elementwise)
    for changes in ways[::-1] if keeps else ways:
        yield Candidate(changes, words, safe=False)


def _keyword_sizes(report: Report, view: View, source: Declared | None) -> Candidates:
    """The sizes of keys and values where the layer takes them for the query's: ``kdim``, ``vdim``.

    Keys and values that are one tensor get both.
    """
    operation, clash = report.operation, report.operation.clash
    layer = layer_of(operation)
    made = None if clash is None else declared(view, operation, clash.right)
    if layer is None or made is None or source is None or source.function != made.function:
        return
    tensors = list(operation.tensors())
    assert clash is not None
    blamed = tensors[clash.operand][1]
    optional = {each.spelled for each in layer.making.parameters if each.default == "None"}
    given = {each.name for each in operation.operands if each.node is not None}
    names = [
        name
        for operand, tensor in tensors
        if tensor is blamed and (name := f"{operand.name[:1]}dim") in optional - given
    ]
    if names:
        added = ", ".join(f"{name}={view.code(source.node)}" for name in names)
        text = call_with(view, made.call, added)
        attribute = f"{_name(view, made)}.{names[0]}"
        whole = report.resized is not None and made.target is not None
        yield Candidate(
            (Change(made.call, text),),
            f"make {_name(view, made)} for {added}",
            safe=False,
            proof=f"assert {attribute} == {view.code(source.node)}" if whole else None,
        )


def _tensor_of(operation: Operation, index: int | None = None) -> Tensor | None:
    """An operand by its number: the one that the clash blames unless another is asked for."""
    tensors = [tensor for _, tensor in operation.tensors()]
    if index is None:
        index = len(tensors) if operation.clash is None else operation.clash.operand
    return tensors[index] if index < len(tensors) else None


# -- the constructor -------------------------------------------------------------------------------

#: Arguments that torch's layers keep under the same name.
_KEPT = frozenset({
    "in_features", "out_features", "in_channels", "num_features", "embedding_dim",
    "input_size", "hidden_size", "embed_dim", "kdim", "vdim",
})  # fmt: skip


def _proof(view: View, made: Declared, text: str) -> str | None:
    """The assert, for behind the constructor, that a layer was made with a size."""
    layer = layer_of(made.operation)
    if layer is None or made.target is None or not made.operation.spelling.startswith("torch"):
        return None
    spelled = {each.neutral: each.spelled for each in layer.making.parameters}[made.name]
    name = f"{view.code(made.target)}.{spelled}"
    if spelled == "normalized_shape":
        whole = isinstance(made.node, cst.Tuple) or made.node in {
            each.value for each in made.call.args
        }
        return f"assert {name} == ({text},)" if whole else None
    return f"assert {name} == {text}" if spelled in _KEPT else None


def resized(
    view: View,
    made: Declared,
    wanted: Size,
    source: Declared | None,
    met: Operation | None = None,
) -> Candidates:
    """A layer made with another size: this one written anew, or its two sizes exchanged.

    Exchanged first where the layer before it was made with the very same two. `met` is the layer's
    call that cannot work, if it is one.
    """
    anew, exchanged = _anew(view, made, wanted, source, met), _exchanged(view, made, wanted)
    if source is not None and _same_sizes(view, made, source):
        anew, exchanged = exchanged, anew
    yield from anew
    yield from exchanged


def _anew(
    view: View, made: Declared, wanted: Size, source: Declared | None, met: Operation | None
) -> Candidates:
    size = cancel_quotients(view.facts.resolve(wanted))
    texts: list[str | None] = []
    literal, in_general = isinstance(made.node, cst.Integer), view.traced.function is not None
    if not literal and (size.number is not None or not in_general):
        # A number may be one of this call only. What the size is made of, what layers beside this
        # one were made with, or what the object was made with says it in names.
        seen = [] if met is None else _in_symbols(view, made, met, size)
        parts = [size] if met is None else _parts(view, met, size)
        beside, named = _texts_beside(view, made, size, source), by_numbers(view, made, parts)
        texts = [*seen, *named, *beside] if len(parts) > 1 else [*seen, *beside, *named]
    if literal or in_general:
        texts.append(names_for(view, made).write(size))
    for text in dict.fromkeys(texts):
        if text is not None and text != view.code(made.node):
            yield edit(made.node, text, f"make {_name(view, made)} for {text}", safe=False)


def _in_symbols(view: View, made: Declared, met: Operation, size: Size) -> Iterator[str | None]:
    """The size that a layer is given as the trace on unknown arguments has it, in names."""
    given, clash = _tensor_of(met), met.clash
    if given is None or clash is None or clash.left is None or not _equal(view, clash.left, size):
        return
    axis = axis_of(view, given, clash.left)
    for other, general in view.in_general(met):
        own, tensor = argument(general, other, made.name), _tensor_of(other, clash.operand)
        shape = None if tensor is None else general.shape(tensor)
        if own is None or shape is None or own.node is not made.node:
            continue
        axes = shape.axes if shape.closed else shape.trail if axis < 0 else ()
        known = axes[axis].size if -len(axes) <= axis < len(axes) else None
        if known is not None and known.number is None:
            yield names_for(general, own).write(cancel_quotients(known))


def _parts(view: View, met: Operation, size: Size) -> list[Size]:
    """The sizes of what was joined to the size that a layer is given, or that size alone.

    None of a list that a loop has filled, which is one tensor here.
    """
    given, clash = _tensor_of(met), met.clash
    if given is not None and clash is not None and clash.left is not None:
        axis = axis_of(view, given, clash.left)
        parts = joined_sizes(view, given, axis) if _equal(view, clash.left, size) else None
        if parts is not None:
            return parts if _equal(view, sum(parts, ZERO), size) else []
    return [size]


def _texts_beside(view: View, made: Declared, size: Size, source: Declared | None) -> Iterator[str]:
    """How layers of the same function write a size that is only known in one call, as a number."""
    if source is not None and source.function == made.function:
        yield view.code(source.node)
    for operation in view.graph.operations:
        other = argument(view, operation, made.name)
        if other is not None and other.function == made.function and _equal(view, other.size, size):
            yield view.code(other.node)


def _exchanged(view: View, made: Declared, wanted: Size) -> Candidates:
    pair = _both_sizes(view, made)
    if pair is None or not any(_equal(view, each.size, wanted) for each in pair):
        return
    first, second = pair
    yield Candidate(
        (Change(first.node, view.code(second.node)), Change(second.node, view.code(first.node))),
        f"exchange the sizes of {_name(view, made)}",
        safe=False,
    )


def _both_sizes(view: View, made: Declared) -> tuple[Declared, Declared] | None:
    """The input and the output size of a layer, if both are written."""
    ins, outs = (argument(view, made.operation, f"{way}_features") for way in ("in", "out"))
    return None if ins is None or outs is None else (ins, outs)


def _same_sizes(view: View, made: Declared, source: Declared) -> bool:
    one, other = _both_sizes(view, made), _both_sizes(view, source)
    if one is None or other is None:
        return False
    return all(_equal(view, a.size, b.size) for a, b in zip(one, other, strict=True))


def _name(view: View, made: Declared) -> str:
    return view.code(made.call.func if made.target is None else made.target)


def names_for(view: View, made: Declared) -> Names:
    """The names that a constructor's function has for sizes, before the constructor's line.

    What layers of the same function were made with tells names too, also in a class whose
    ``__init__`` is not traced by itself.
    """
    names = Names()
    line = view.line(made.node)
    for sites, facts in view.sites_in(made.function):
        for site in sites:
            plain = site.name.replace("self.", "", 1).isidentifier()
            if not plain or site.name == "return" or view.line(site.node) >= line:
                continue
            size = as_size(site.value)
            if size is not None:
                names.by_size.setdefault(view.facts.resolve(facts.resolve(size)), site.name)
    for operation in (made.operation, *view.graph.operations):
        for operand, size in settings(operation):
            if isinstance(operand.node, cst.Name | cst.Attribute):
                other = argument(view, operation, operand.name)
                if other is not None and other.function == made.function:
                    names.by_size.setdefault(view.facts.resolve(size), view.code(operand.node))
    return names


def contracted_layers(report: Report, view: View) -> Candidates:
    """The layer that made one operand of a product, made as wide as the product wants it.

    The layer of the operand that is to blame comes first. What was split into heads since is a part
    of what the layer makes.
    """
    tensors = [tensor for _, tensor in report.operation.tensors()]
    if len(tensors) < 2:
        return
    makers = [maker_layer(view, tensor, through=KEEPING) for tensor in tensors[:2]]
    blamed = None if report.culprit is None else report.culprit.tensor
    for left, right in _contracted(report.operation, view):
        ways = [(tensors[1], makers[1], right, left), (tensors[0], makers[0], left, right)]
        for _, made, given, wanted in sorted(ways, key=lambda way: way[0] is not blamed):
            if made is not None and made.is_making:
                yield from resized(view, made, _whole(view, made.size, given, wanted), None)


def _contracted(operation: Operation, view: View) -> list[tuple[Size, Size]]:
    """The two sizes of each pair of axes that a product sums over."""
    event = operation.event
    pairs = event.pairs if isinstance(event, Contraction) else ()
    if isinstance(event, Attention):
        pairs = (event.features,)
    if isinstance(event, Einsum):
        summed = summed_clash(operation, view)
        return [] if summed is None else [summed.sizes]
    sizes = [(pair.left.size, pair.right.size) for pair in pairs]
    return [(left, right) for left, right in sizes if left is not None and right is not None]


def _whole(view: View, made: Size, given: Size, wanted: Size) -> Size:
    """What a layer has to give for `wanted` where the `made` it gives now are `given`, in parts."""
    made, given = view.facts.resolve(made), view.facts.resolve(given)
    for atom in given.atoms():
        if type(atom) is Quotient and given == of(atom) and atom.numerator == made:
            return cancel_quotients(wanted * atom.denominator)
    parts = made.divided_by(given)
    if parts is not None:
        return wanted * parts
    all_now, now, then = made.evaluate(), given.evaluate(), wanted.evaluate()
    if all_now is None or then is None or not now or all_now % now:
        return wanted
    return const(then * (all_now // now))


# -- the call --------------------------------------------------------------------------------------


def _input(report: Report, view: View) -> Candidates:
    """The input turned, merged or joined along another axis, or another tensor in its place."""
    culprit, clash = report.culprit, report.operation.clash
    last = report.expected[-1] if report.expected else None
    wanted = last if clash is None else clash.right
    if culprit is None or wanted is None:
        return
    sizes = view.sizes(culprit.tensor) or ()
    code = bracketed(view, culprit.node)
    spare = unused_parameter(view, report.operation)
    if spare is not None:
        yield edit(culprit.node, spare, f"use {spare}", safe=False)
    for axis, size in enumerate(sizes[:-1]):
        if size is not None and _equal(view, size, wanted):
            text = f"{code}.transpose({axis}, {len(sizes) - 1})"
            yield edit(culprit.node, text, f"transpose axes {axis} and {len(sizes) - 1}")
    if wanted == ONE:
        rank = len(sizes)
        text = with_axis_of_one(view, culprit.node, culprit.tensor, rank, rank)
        yield edit(culprit.node, text, "give each number an axis of its own", safe=False)
    yield from _merged(view, culprit.node, sizes, wanted)
    yield from _joined_otherwise(view, culprit.tensor)
    yield from _others(report, view, culprit.node, len(sizes), wanted)


def _with_channels(view: View, lost: LostChannels) -> Candidates:
    """What was joined put on an axis of its own, or the axis kept that is reduced to one."""
    node = lost.made.node
    if isinstance(lost.made.event, Joining):
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            yield edit(node.func.attr, "stack", "stack them along an axis of their own")
        return
    if isinstance(node, cst.Call):
        text = call_with(view, node, "keepdim=True")
        yield edit(node, text, "keep the reduced axis (keepdim=True)")


def _merged(
    view: View, node: cst.CSTNode, sizes: tuple[Size | None, ...], wanted: Size
) -> Candidates:
    """The last axes merged into one of the size that is wanted."""
    for first in range(len(sizes) - 2, 0, -1):
        if merges_to(view, sizes[first:], wanted):
            text = f"{bracketed(view, node)}.flatten({first})"
            yield edit(node, text, f"merge the axes from {first} on", safe=False)


def _joined_otherwise(view: View, tensor: Tensor) -> Candidates:
    """The input joined along another axis."""
    maker = view.graph.maker(tensor)
    if (
        maker is None
        or not isinstance(maker.event, Joining)
        or not isinstance(maker.node, cst.Call)
    ):
        return
    axis = argument_of(maker.node)
    shape = view.sizes(tensor) or ()
    for other in range(len(shape)):
        if axis is not None and maker.event.axis != other:
            text = "-1" if other == len(shape) - 1 else str(other)
            yield edit(axis, text, f"join along axis {text}", safe=False)


def _others(report: Report, view: View, node: cst.CSTNode, rank: int, wanted: Size) -> Candidates:
    """Another tensor of the function that has the size, and as many axes.

    Of two layers that one tensor does not fit neither gets another one than the other.
    """
    given, line = _tensor_of(report.operation), view.line(node)
    for other in view.graph.clashes():
        if other is not report.operation and any(tensor is given for _, tensor in other.tensors()):
            return
    own = view.code(node)
    for sites, _ in view.sites_in(report.operation.place.function):
        for site in reversed(sites):
            sizes = view.sizes(as_tensor(site.value))
            if not sizes or len(sizes) != rank or site.name == own or not site.name.isidentifier():
                continue
            last = sizes[-1]
            if last is not None and _equal(view, last, wanted) and view.line(site.node) < line:
                yield edit(node, site.name, f"use {site.name}", safe=False)


def _equal(view: View, left: Size, right: Size) -> bool:
    return view.facts.compare(left, right) is Verdict.EQUAL
