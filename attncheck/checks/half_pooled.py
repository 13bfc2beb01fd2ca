"""Maps that a window has pooled to one place along one axis only, and that are flattened then.

``F.avg_pool2d(x, x.size(2))`` of images (B, C, H, W) makes (B, C, 1, 1) only of square ones. Of
others it leaves W//H places, and a layer for C features is given C*(W//H): neither its constructor
nor its call is wrong.
"""

from __future__ import annotations

from attncheck.algebra.size import ONE, product
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Reshaping
from attncheck.record import record
from attncheck.values.tensor import Tensor

#: The axis of channels of a batch of images.
_CHANNELS = 1


@record
class HalfPooled:
    """What pooled a map to one place along some of its axes, and the sizes for all of them."""

    made: Operation
    operand: Operand
    tensor: Tensor
    sizes: Sizes
    expected: Sizes


def half_pooled(operation: Operation, view: View) -> HalfPooled | None:
    """What pooled the map that a layer of features is given flattened, if it takes its channels."""
    clash, given = operation.clash, operation.source
    flat = None if given is None else view.graph.maker(given)
    source = None if flat is None else next(flat.tensors(), None)
    if clash is None or clash.operand or flat is None or source is None:
        return None
    operand, tensor = source
    made, sizes = view.maker(tensor), view.sizes(tensor)
    if made is None or made.kind != "pool" or not isinstance(flat.event, Reshaping):
        return None
    flattened = None if given is None else view.sizes(given)
    if sizes is None or flattened is None or len(flattened) != _CHANNELS + 1:
        return None
    places, known = sizes[_CHANNELS + 1 :], [size for size in sizes if size is not None]
    if len(known) < len(sizes) or not 0 < places.count(ONE) < len(places):
        return None
    if not view.equal(sizes[_CHANNELS], clash.right) or not view.equal(
        flattened[-1], product(known[_CHANNELS:])
    ):
        return None
    expected = (*sizes[: _CHANNELS + 1], *[ONE] * len(places))
    return HalfPooled(made, operand, tensor, sizes, expected)
