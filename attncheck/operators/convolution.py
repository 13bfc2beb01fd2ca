"""Convolutions and their transposes, as layers (sizes from the constructor) and as functions.

Shapes: ``(N, C_in, ...)`` or ``(C_in, ...)`` to ``(N, C_out, ...)`` or ``(C_out, ...)``; the weight
is ``(C_out, C_in//groups, *kernel)``, of a transposed one ``(C_in, C_out//groups, *kernel)``.
"""

from __future__ import annotations

from attncheck.algebra.bounds import at_least
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import ONE, ZERO, Size
from attncheck.operators.axes import with_rank
from attncheck.operators.call import Call
from attncheck.operators.contraction import product_dtype
from attncheck.operators.events import Clash, Fault, Outcome
from attncheck.operators.features import groups_clash, size_clash
from attncheck.operators.seats import rank_clash, resized
from attncheck.operators.windows import Parted, Window, each, parted, slide, windows
from attncheck.record import record
from attncheck.values.tensor import Evidence


@record
class _Kernel:
    """What a convolution is made for: channels in and out, and its windows' sizes."""

    inward: Size | None
    outward: Size | None
    sizes: list[Size | None]


def convolution(call: Call) -> Outcome:
    """A convolution over ``spatial`` axes (see `windows` for their lengths)."""
    return _convolve(call, transposed=False)


def transposed_convolution(call: Call) -> Outcome:
    """Its transpose: ``(L - 1)*s - 2p + d*(k - 1) + output_padding + 1`` places on each axis."""
    return _convolve(call, transposed=True)


def _convolve(call: Call, transposed: bool) -> Outcome:
    spatial, dtype = call.integer("spatial"), product_dtype(call, "x")
    assert spatial is not None
    kernel = _kernel(call, spatial, transposed)
    given, shape = call.tensor("x"), call.shape("x")
    if given is not None and given.evidence is Evidence.NAME and shape is not None:
        # A name says how many axes a sequence has. What is slid over may be a batch of images.
        shape = None if shape.rank == spatial + 1 else shape
    inward = kernel.inward if isinstance(kernel, _Kernel) else None
    image = None if shape is None else parted(shape, spatial, call.facts, inward)
    clash = next((part for part in (kernel, image) if isinstance(part, Clash)), None)
    if isinstance(kernel, _Kernel) and clash is None:
        clash = _channels_clash(call, kernel, image if isinstance(image, Parted) else None)
    if clash is not None:
        return Outcome(call.make(None, dtype), clash=clash)
    if not isinstance(image, Parted) or not isinstance(kernel, _Kernel):
        return Outcome(call.make(None, dtype))
    places = _spread(call, image, kernel) if transposed else _slid(call, image, kernel)
    if isinstance(places, Clash):
        return Outcome(call.make(None, dtype), clash=places)
    return Outcome(call.make(image.with_axes(Axis(kernel.outward), places), dtype))


def _kernel(call: Call, spatial: int, transposed: bool) -> _Kernel | Clash:
    weight = call.shape("weight")
    if "weight" not in call.arguments:
        sizes = each(call, "kernel", spatial)
        return _Kernel(call.size("in_channels"), call.size("out_channels"), sizes)
    matrix = None if weight is None else with_rank(weight, spatial + 2, call.facts)
    if weight is not None and isinstance(matrix, Clash):
        return rank_clash(weight, f"a weight of {spatial + 2} axes", 1)
    if matrix is None or isinstance(matrix, Clash):
        return _Kernel(None, None, [None] * spatial)
    first, second, *sizes = (axis.size for axis in matrix.lead)
    groups = call.size("groups") if call.given("groups") else ONE
    grouped = None if second is None or groups is None else second * groups
    inward, outward = (first, grouped) if transposed else (grouped, first)
    return _Kernel(inward, outward, sizes)


def _channels_clash(call: Call, kernel: _Kernel, image: Parted | None) -> Clash | None:
    """Why the channels are not those of the kernel, or not divided by its groups, or None."""
    groups, clash = call.size("groups"), None
    inward = kernel.inward
    if inward is None and image is not None:
        inward = image.channels.size
    for count in (inward, kernel.outward):
        clash = clash or groups_clash(count, groups, call.facts)
    if clash is None and image is not None:
        clash = size_clash(image.channels, kernel.inward, call.facts, "channels")
    bias = call.shape("bias")
    if clash is None and bias is not None and bias.rank == 1:
        clash = size_clash(bias.lead[0], kernel.outward, call.facts, "channels", 2)
    return clash


def _slid(call: Call, image: Parted, kernel: _Kernel) -> list[Axis] | Clash:
    padding = call.text("padding")
    if padding == "same":
        return list(image.spatial)
    over = windows(call, kernel.sizes)
    if padding == "valid":
        over = [Window(w.size, w.stride, ZERO, w.dilation) for w in over]
    return slide(image.spatial, over, call.facts)


def _spread(call: Call, image: Parted, kernel: _Kernel) -> list[Axis] | Clash:
    """The places of a transposed convolution; not known where the program names them itself."""
    count = len(kernel.sizes)
    more = each(call, "output_padding", count, [ZERO] * count)
    if call.given("output_size"):
        more = [None] * count
    places = []
    for axis, window, extra in zip(image.spatial, windows(call, kernel.sizes), more, strict=True):
        size = _spread_size(axis.size, window, extra)
        if size is not None and at_least(-size, ONE):
            text = f"spreads {axis} elements over {size} places"
            return Clash(Fault.AXIS, text, 0, axis.size, size)
        places.append(resized(axis, size, call.facts))
    return places


def _spread_size(length: Size | None, window: Window, more: Size | None) -> Size | None:
    if length is None or window.size is None or window.stride is None or more is None:
        return None
    if window.padding is None or window.dilation is None:
        return None
    reach = window.dilation * (window.size - 1) + 1
    return (length - 1) * window.stride - 2 * window.padding + reach + more
