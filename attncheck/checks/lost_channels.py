"""Reductions that dropped the axis of channels which a convolution wants back.

``cat((x.mean(1), x.amax(1)), 1)`` of images (B, C, H, W) is (B, 2*H, W): a convolution of two
channels takes it for one image of B channels. Neither its constructor nor its call is wrong.
"""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.checks.constructed import layer_of
from attncheck.checks.report import Sizes
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Joining, Reduction
from attncheck.record import record
from attncheck.values.value import NONE, as_integer

#: The axis of channels of a batch of images.
_CHANNELS = 1


@record
class LostChannels:
    """What gave a tensor without its channels, and the sizes that the tensor should have."""

    made: Operation
    expected: Sizes


def lost_channels(operation: Operation, view: View) -> LostChannels | None:
    """What dropped the channels that a layer of images wants, one for each reduction; or None."""
    layer, clash, tensor = layer_of(operation), operation.clash, operation.source
    spatial = None if layer is None else as_integer(layer.making.fixed.get("spatial", NONE))
    made = None if tensor is None else view.maker(tensor)
    if spatial is None or clash is None or clash.operand or made is None:
        return None
    makers = [made]
    if isinstance(made.event, Joining):
        if made.event.kind != "cat" or made.event.axis != _CHANNELS:
            return None
        makers = [each for _, tensor in made.tensors() if (each := view.maker(tensor)) is not None]
        if len(makers) != len(list(made.tensors())):
            return None
    images = [_reduced_images(each, view, spatial + 2) for each in makers]
    if clash.right != const(len(images)) or any(each is None for each in images):
        return None
    batch, _, *places = images[0] or ()
    return LostChannels(made, (batch, clash.right, *places))


def _reduced_images(made: Operation, view: View, rank: int) -> Sizes | None:
    """The sizes of a batch of images of which an operation has reduced the channels away."""
    event, source = made.event, made.source
    if not isinstance(event, Reduction) or event.keepdims or made.elsewhere or source is None:
        return None
    sizes = view.sizes(source)
    if sizes is None or len(sizes) != rank or event.axes is None:
        return None
    return sizes if [axis % rank for axis in event.axes] == [_CHANNELS] else None
