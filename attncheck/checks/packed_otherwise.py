"""Sequences that are packed time first, between layers that all speak of the batch first.

``pack_padded_sequence(x, lengths)`` takes (T, B, ...), whatever the recurrent layer was made with:
that reads a packed sequence in either case (torch.nn.utils.rnn.pack_padded_sequence).
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.rule import Rule
from attncheck.values.value import TRUE

_SETTING = "batch_first"
#: Operators that put axes into another order.
_TURNED = frozenset({"swap", "permute", "permute_all", "move"})


def packed_otherwise(rule: Rule, view: View) -> Iterator[Report]:
    """Report a packing that says nothing of its layout, where the layer and the unpacking do."""
    for packing in view.graph.operations:
        if packing.kind != "pack_padded" or packing.elsewhere or packing.clash is not None:
            continue
        if any(operand.name == _SETTING for operand in packing.operands):
            continue
        later = [made for made in view.graph.after(packing) if made.place == packing.place]
        # What is packed is no tensor: a layer that is given none has been given that.
        layers = [made for made in later if made.kind == "recurrent" and made.source is None]
        unpacked = [made for made in later if made.kind == "pad_packed"]
        if (
            packing.source is None
            or not layers
            or not unpacked
            or not all(map(is_batch_first, (*layers, *unpacked)))
        ):
            continue
        operand, tensor = next(packing.tensors())
        made = view.graph.maker(tensor)
        if made is not None and made.kind in _TURNED:
            continue  # it has been put into this order
        layer, unpacking = (view.quote(made.node) for made in (layers[0], unpacked[0]))
        yield Report(
            rule,
            packing,
            packing.node,
            f"`{view.quote(packing.node)}` takes the first axis for time, but `{layer}` is made"
            f" with batch_first=True and `{unpacking}` gives the batch first: one of the three is"
            " of another layout, and the sequences are packed across the batch",
            Culprit(operand.node or packing.node, tensor),
            view.sizes(tensor),
            "packed as it is unpacked, with batch_first=True",
            layer=packing.node,
            named=True,
        )


def is_batch_first(operation: Operation) -> bool:
    """Whether an operation says that the batch is the first axis."""
    return any(each.name == _SETTING and each.value == TRUE for each in operation.operands)
