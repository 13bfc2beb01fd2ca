"""torch's pooling, padding and resizing of images, as layers and as functions."""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Table
from attncheck.operators import padding, pooling, reshaping
from attncheck.operators.call import Operator
from attncheck.values.value import TRUE, Const, Int, Value

TABLE = Table("torch")
_FUNCTIONAL = "torch.nn.functional"


def _both(layer: str, function: str, operator: Operator, rest: str, **fixed: Value) -> None:
    """A layer and the function whose parameters behind the input are the layer's."""
    TABLE.add_layer(f"torch.nn.{layer}", operator, rest, "input:x", None, **fixed)
    TABLE.add(f"{_FUNCTIONAL}.{function}", operator, f"input:x, {rest}", **fixed)


# Pooling.
_STEP = "kernel_size:kernel, stride=None, padding=0"
_PLAIN = "kernel_size:kernel, stride=None, ceil_mode:ceil=False"
_INDICES = "return_indices:indices=False"
_CEIL = "ceil_mode:ceil=False"
for _spatial in (1, 2, 3):
    _axes = Int(const(_spatial))
    _stepping: dict[str, Value] = {"spatial": _axes, "strides_by_size": TRUE}
    TABLE.add_layer(
        f"torch.nn.MaxPool{_spatial}d",
        pooling.pool,
        f"{_STEP}, dilation=1, {_INDICES}, {_CEIL}",
        spatial=_axes,
        strides_by_size=TRUE,
    )
    TABLE.add(
        f"{_FUNCTIONAL}.max_pool{_spatial}d",
        pooling.pool,
        f"input:x, {_STEP}, dilation=1, {_CEIL}, {_INDICES}",
        **_stepping,
    )
    # Over three axes torch wants a whole window inside the input, padded or not.
    _averaging = _stepping | ({"whole": TRUE} if _spatial == 3 else {})
    _counted = "count_include_pad=True" + (", divisor_override=None" if _spatial > 1 else "")
    _both(
        f"AvgPool{_spatial}d",
        f"avg_pool{_spatial}d",
        pooling.pool,
        f"{_STEP}, {_CEIL}, {_counted}",
        **_averaging,
    )
    _both(
        f"LPPool{_spatial}d",
        f"lp_pool{_spatial}d",
        pooling.pool,
        f"norm_type, {_PLAIN}",
        **_averaging,
    )
    _both(
        f"AdaptiveAvgPool{_spatial}d",
        f"adaptive_avg_pool{_spatial}d",
        pooling.adaptive_pool,
        "output_size:sizes",
        spatial=_axes,
        any_rank=Const(_spatial > 1),
    )
    _both(
        f"AdaptiveMaxPool{_spatial}d",
        f"adaptive_max_pool{_spatial}d",
        pooling.adaptive_pool,
        f"output_size:sizes, {_INDICES}",
        spatial=_axes,
    )

# Windows as columns, and pixels.
_WINDOW = "kernel_size:kernel, dilation=1, padding=0, stride=1"
_both("Unfold", "unfold", pooling.unfold, _WINDOW, spatial=Int(const(2)))
_both("Fold", "fold", pooling.fold, f"output_size:sizes, {_WINDOW}")
_both("PixelShuffle", "pixel_shuffle", pooling.pixel_shuffle, "upscale_factor:factor")
_both("PixelUnshuffle", "pixel_unshuffle", pooling.pixel_unshuffle, "downscale_factor:factor")
TABLE.add("torch.pixel_shuffle", pooling.pixel_shuffle, "input:x, upscale_factor:factor")
TABLE.add("torch.pixel_unshuffle", pooling.pixel_unshuffle, "input:x, downscale_factor:factor")
_both("ChannelShuffle", "channel_shuffle", pooling.channel_shuffle, "groups")

# Resizing.
_SIZES = "size:sizes=None, scale_factor:factor=None"
_RESIZED = f"{_SIZES}, mode=nearest, align_corners=None, recompute_scale_factor=None"
TABLE.add_layer("torch.nn.Upsample", pooling.resize, _RESIZED)
TABLE.add_layer("torch.nn.UpsamplingNearest2d", pooling.resize, _SIZES)
TABLE.add_layer("torch.nn.UpsamplingBilinear2d", pooling.resize, _SIZES, mode=Const("bilinear"))
TABLE.add(f"{_FUNCTIONAL}.interpolate", pooling.resize, f"input:x, {_RESIZED}, antialias=False")
TABLE.add(
    f"{_FUNCTIONAL}.upsample",
    pooling.resize,
    f"input:x, {_SIZES}, mode=nearest, align_corners=None",
)

# Padding.
for _spatial in (1, 2, 3):
    _axes = Int(const(_spatial))
    for _kind in ("Zero", "Reflection", "Replication", "Circular"):
        TABLE.add_layer(
            f"torch.nn.{_kind}Pad{_spatial}d",
            padding.pad_image,
            "padding:widths",
            spatial=_axes,
            kind=Const(_kind.lower()),
        )
    TABLE.add_layer(
        f"torch.nn.ConstantPad{_spatial}d",
        padding.pad_image,
        "padding:widths, value",
        spatial=_axes,
        kind=Const("constant"),
    )

# Flattening.
TABLE.add_layer(
    "torch.nn.Flatten",
    reshaping.flatten,
    "start_dim:start=1, end_dim:end=-1",
    start=Int(const(1)),
)
TABLE.add_layer("torch.nn.Unflatten", reshaping.unflatten, "dim:axis, unflattened_size:sizes")
