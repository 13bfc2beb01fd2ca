"""torch's convolutions, as layers and as functions."""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Table
from attncheck.operators import convolution
from attncheck.values.value import Int

TABLE = Table("torch")

_CHANNELS = "in_channels, out_channels"
_OPTIONS = "padding_mode=zeros, device=None, dtype=None"
_MADE = "kernel_size:kernel, stride=1, padding=0, dilation=1, groups=1, bias:has_bias=True"
_TRANSPOSED = (
    "kernel_size:kernel, stride=1, padding=0, output_padding=0, groups=1, bias:has_bias=True, "
    "dilation=1"
)
_CALLED = "input:x, output_size=None"
_WEIGHTS = "input:x, weight, bias=None, stride=1, padding=0"

for _spatial in (1, 2, 3):
    _axes = Int(const(_spatial))
    _bias = {"bias": "out_channels if has_bias"}
    TABLE.add_layer(
        f"torch.nn.Conv{_spatial}d",
        convolution.convolution,
        f"{_CHANNELS}, {_MADE}, {_OPTIONS}",
        weights={"weight": f"out_channels in_channels//groups *kernel:{_spatial}"} | _bias,
        spatial=_axes,
    )
    TABLE.add_layer(
        f"torch.nn.ConvTranspose{_spatial}d",
        convolution.transposed_convolution,
        f"{_CHANNELS}, {_TRANSPOSED}, {_OPTIONS}",
        _CALLED,
        weights={"weight": f"in_channels out_channels//groups *kernel:{_spatial}"} | _bias,
        spatial=_axes,
    )
    TABLE.add_layer(
        f"torch.nn.LazyConv{_spatial}d",
        convolution.convolution,
        f"out_channels, {_MADE}, {_OPTIONS}",
        weights=_bias,
        spatial=_axes,
    )
    TABLE.add_layer(
        f"torch.nn.LazyConvTranspose{_spatial}d",
        convolution.transposed_convolution,
        f"out_channels, {_TRANSPOSED}, {_OPTIONS}",
        _CALLED,
        weights=_bias,
        spatial=_axes,
    )
    TABLE.add(
        f"torch.nn.functional.conv{_spatial}d torch.conv{_spatial}d",
        convolution.convolution,
        f"{_WEIGHTS}, dilation=1, groups=1",
        spatial=_axes,
    )
    TABLE.add(
        f"torch.nn.functional.conv_transpose{_spatial}d torch.conv_transpose{_spatial}d",
        convolution.transposed_convolution,
        f"{_WEIGHTS}, output_padding=0, groups=1, dilation=1",
        spatial=_axes,
    )
