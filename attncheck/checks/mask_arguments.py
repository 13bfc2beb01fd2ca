"""Masks that a layer of the library is given in each other's place.

torch's attention takes two: of one sequence for all, which queries see which keys, ``(T, S)``, and
of each sequence, which of its keys are padding, ``(B, S)``. The first argument behind the input is
the one for the first; a padding mask that is given by position lands there.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Size
from attncheck.checks.constructed import layer_of
from attncheck.checks.layouts import as_read, readings_of
from attncheck.checks.mask_places import are_one
from attncheck.checks.report import Culprit, Report, Sizes, hidden_while, text_of
from attncheck.checks.tied import as_it_was, before
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import NONE

_SELF = ("src_mask", "src_key_padding_mask", "src", "src")
_TARGET = ("tgt_mask", "tgt_key_padding_mask", "tgt", "tgt")
_PLAIN = (("attn_mask", "key_padding_mask", "query", "key"),)
_DECODING = (_TARGET, ("memory_mask", "memory_key_padding_mask", "tgt", "memory"))
#: By operator, for each attention: its mask of scores, its mask of keys, its queries and its keys.
_ATTENTIONS = {
    "multihead_attention": _PLAIN,
    "multihead_function": _PLAIN,
    "encoder_layer": (_SELF,),
    "encoder": (_SELF,),
    "decoder_layer": _DECODING,
    "decoder": _DECODING,
    "transformer": (
        _SELF,
        _TARGET,
        ("memory_mask", "memory_key_padding_mask", "tgt", "src"),
    ),
}


@record
class Exchanged:
    """A mask, what it is given as and what it is, as the library calls these, and their sizes."""

    operand: Operand
    tensor: Tensor
    given: str
    meant: str
    wanted: Sizes
    #: whether it is a mask of padding, and not one of scores
    padding: bool
    hidden: str = ""


def exchanged(operation: Operation, view: View) -> Exchanged | None:
    """The mask that has the shape of the layer's other mask, which is not given; or None."""
    attentions = _ATTENTIONS.get(operation.kind, ())
    read = {each.operand.name: each for each in readings_of(operation, view)} if attentions else {}
    for scores, padding, query, key in attentions:
        if query in read and key in read:
            queries, keys, batch = read[query].time, read[key].time, read[key].batch
            ways = ((scores, padding, queries, batch), (padding, scores, batch, queries))
            for given, meant, wanted, own in ways:
                found = _exchanged(operation, view, (given, meant), (wanted, own, keys))
                if found is not None:
                    return found
    return None


def report(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    """The report of `rule` about a mask that is given as the other one."""
    found = exchanged(operation, view)
    if found is None or found.operand.node is None:
        return
    made = as_it_was(found.tensor, operation, view, apart=True)
    told = "which query may see which key", "which positions of each sequence are padding"
    other, own = told if found.padding else told[::-1]
    yield Report(
        rule,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` is given `{view.quote(found.operand.node)}`"
        f" {as_it_was(found.tensor, operation, view)} as `{found.given}`, which says {other},"
        f" {text_of(found.wanted)}; `{found.meant}` says {own}",
        Culprit(found.operand.node, found.tensor.with_shape(made)),
        found.wanted,
        f"to be the `{found.given}`; as it is, it fits `{found.meant}`",
        hidden=found.hidden or hidden_while(operation, view.facts),
    )


def _exchanged(
    operation: Operation, view: View, names: tuple[str, str], axes: tuple[Axis, Axis, Axis]
) -> Exchanged | None:
    """The mask that is given by the first of two names, if its axes are those of the second.

    `axes` are the first axis of either mask, and the keys, which are the last of both.
    """
    operands = {operand.name: operand for operand in operation.operands if operand.value != NONE}
    tensors = {operand.name: tensor for operand, tensor in operation.tensors()}
    operand, tensor = operands.get(names[0]), tensors.get(names[0])
    shape = None if tensor is None else as_read(tensor, view)
    if operand is None or tensor is None or shape is None or names[1] in operands:
        return None
    wanted, own, keys = axes
    if not shape.closed or len(shape.axes) != 2 or not _same(shape.axes[1], keys, operation, view):
        return None
    first = shape.axes[0]
    hidden = ""
    if not (_apart(first, wanted, view) and _same(first, own, operation, view)):
        # Without a proof that they differ the axis has to come from where the other mask's does.
        if operation.clash is not None or not are_one(first, own) or are_one(first, wanted):
            return None
        sizes = [_size(axis, operation, view) for axis in (own, wanted)]
        hidden = f"hidden while {sizes[0]} == {sizes[1]}"
    spelled = _spelled(operation)
    given, meant = (spelled.get(name, name) for name in names)
    expected = _size(wanted, operation, view), _size(keys, operation, view)
    return Exchanged(operand, tensor, given, meant, expected, "padding" in names[1], hidden)


def _size(axis: Axis, operation: Operation, view: View) -> Size | None:
    return None if axis.size is None else before(axis.size, operation, view)


def _apart(left: Axis, right: Axis, view: View) -> bool:
    if left.size is None or right.size is None:
        return False
    return view.facts.compare(left.size, right.size).clashes


def _same(axis: Axis, other: Axis, operation: Operation, view: View) -> bool:
    """Whether two axes were one, or of one size, before the layer needed any to be equal."""
    if are_one(axis, other):
        return True
    sizes = _size(axis, operation, view), _size(other, operation, view)
    return None not in sizes and sizes[0] == sizes[1]


def _spelled(operation: Operation) -> dict[str, str]:
    """What the library calls the arguments of a layer's call."""
    layer = layer_of(operation)
    parameters = () if layer is None else layer.calling.parameters
    return {parameter.neutral: parameter.spelled for parameter in parameters}
