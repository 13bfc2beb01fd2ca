"""Arguments for what works on images: convolutions, poolings, paddings, resizing."""

from __future__ import annotations

from typing import Any

from attncheck.frameworks.spelling import Spelling
from attncheck.operators import convolution, padding, pooling

from ..harness import Arguments, Array, Dim, Draw, as_dim


def _spatial(spelling: Spelling) -> int:
    return next(int(letter) for letter in spelling.path if letter.isdigit())


def _image(draw: Draw, channels: Dim, spatial: int) -> Array:
    """Batched or not, now and then with an axis more or less."""
    batch = [draw.dim() for _ in range(draw.choice([0, 1, 1, 1, 1, 2]))]
    lengths = [draw.dim(2, 9) for _ in range(spatial)]
    return Array(*batch, channels, *(lengths[1:] if draw.chance(0.05) else lengths))


def _each(draw: Draw, spatial: int, *options: int) -> Any:
    """A number for all axes, or a tuple of them."""
    if draw.chance(0.6):
        return draw.choice(options)
    return tuple(draw.choice(options) for _ in range(spatial))


def _window(draw: Draw, spatial: int, *names: str) -> Arguments:
    settings: Arguments = {"kernel": _each(draw, spatial, 1, 2, 3)}
    if draw.chance(0.2):
        settings["kernel"] = draw.dim(2, 3)
    ranges = {"stride": (1, 2, 3), "padding": (0, 1), "dilation": (1, 2)}
    for name in names:
        if draw.chance(0.4):
            settings[name] = _each(draw, spatial, *ranges[name])
    return settings


def _convolved(draw: Draw, spelling: Spelling, transposed: bool) -> Arguments:
    spatial, groups = _spatial(spelling), draw.choice([1, 1, 2])
    inward, outward = draw.dim() * groups, draw.dim() * groups
    if draw.chance(0.1):
        outward = draw.dim()
    arguments = _window(draw, spatial, "stride", "padding", "dilation")
    given = draw.other(inward)
    arguments |= {
        "x": _image(draw, inward, spatial),
        "in_channels": given,
        "out_channels": outward,
        "has_bias": draw.chance(0.8),
    }
    if groups > 1:
        arguments["groups"] = groups
    sides = (given, outward // groups) if transposed else (outward, given // groups)
    kernel = arguments["kernel"]
    kernel = list(kernel) if isinstance(kernel, tuple) else [kernel] * spatial
    arguments["weight"] = Array(*sides, *kernel)
    if draw.chance(0.3):
        arguments["bias"] = Array(draw.other(outward))
    return arguments


def convolve(draw: Draw, spelling: Spelling) -> Arguments:
    arguments = _convolved(draw, spelling, transposed=False)
    if draw.chance(0.3):
        arguments["padding"] = draw.choice(["same", "valid"])
        if arguments["padding"] == "same":
            arguments.pop("stride", None)
    return arguments


def convolve_back(draw: Draw, spelling: Spelling) -> Arguments:
    arguments = _convolved(draw, spelling, transposed=True)
    if any(as_dim(size).number < 3 for size in arguments["x"].sizes):
        # Where nothing is left torch gives an empty result or refuses, as its kernels have it.
        arguments.pop("padding", None)
    if draw.chance(0.3):
        # It must be smaller than the stride.
        arguments |= {"stride": 2, "output_padding": draw.choice([0, 1])}
    return arguments


def pool(draw: Draw, spelling: Spelling) -> Arguments:
    spatial = _spatial(spelling)
    arguments = _window(draw, spatial, "stride", "padding", "dilation")
    arguments |= {"x": _image(draw, draw.dim(), spatial), "norm_type": 2.0}
    if isinstance(arguments["kernel"], tuple) and "lppool1d" in spelling.path.lower().replace(
        "_", ""
    ):
        # It multiplies by its window, which therefore is a number.
        arguments["kernel"] = arguments["kernel"][0]
    if draw.chance(0.4):
        arguments["ceil"] = draw.chance(0.7)
    if draw.chance(0.3):
        arguments["indices"] = draw.chance(0.5)
    return arguments


def adaptive_pool(draw: Draw, spelling: Spelling) -> Arguments:
    spatial = _spatial(spelling)
    sizes: Any = draw.choice([1, 3, draw.dim()])
    if draw.chance(0.4):
        options = [2, draw.dim()] if spatial == 1 else [2, None, draw.dim()]
        sizes = tuple(draw.choice(options) for _ in range(spatial))
    arguments: Arguments = {"x": _image(draw, draw.dim(), spatial), "sizes": sizes}
    return arguments | ({"indices": draw.chance(0.5)} if draw.chance(0.3) else {})


def unfold(draw: Draw, spelling: Spelling) -> Arguments:
    arguments = _window(draw, 2, "stride", "padding", "dilation")
    return arguments | {"x": _image(draw, draw.dim(), 2)}


def fold(draw: Draw, spelling: Spelling) -> Arguments:
    high, wide = draw.dim(), draw.dim()
    rows, columns = draw.random.randint(1, 3), draw.random.randint(1, 3)
    features = draw.dim() * (rows * columns) if draw.chance(0.9) else draw.dim()
    places = (high + (1 - rows)) * (wide + (1 - columns))
    batch = [draw.dim() for _ in range(draw.choice([0, 1, 1, 1, 2]))]
    return {
        "x": Array(*batch, features, draw.other(places) if places.number > 0 else draw.dim()),
        "sizes": (high, wide),
        "kernel": (rows, columns),
    }


def shuffle(draw: Draw, spelling: Spelling) -> Arguments:
    factor = draw.random.randint(1, 3)
    channels, high, wide = draw.dim(), draw.dim(), draw.dim()
    if "un" in spelling.path.rpartition(".")[2].lower():
        high, wide = high * factor, wide * factor
    else:
        channels = channels * (factor * factor)
    if draw.chance(0.1):
        channels, high = draw.dim(), draw.dim()
    image = [channels, high, wide]
    return {
        "x": Array(*draw.shape(0, 2), *(image[1:] if draw.chance(0.1) else image)),
        "factor": factor,
    }


def channel_shuffle(draw: Draw, spelling: Spelling) -> Arguments:
    groups = draw.random.randint(1, 3)
    channels = draw.dim() * groups if draw.chance(0.8) else draw.dim()
    return {"x": Array(draw.dim(), channels, *draw.shape(0, 3)), "groups": groups}


def resize(draw: Draw, spelling: Spelling) -> Arguments:
    spatial = 2 if spelling.path.endswith("2d") else draw.random.randint(1, 3)
    modes = {1: ["linear"], 2: ["bilinear", "bicubic"], 3: ["trilinear"]}[spatial]
    arguments: Arguments = {"x": _image(draw, draw.dim(), spatial)}
    if draw.chance(0.7):
        arguments["mode"] = draw.choice(["nearest", *modes])
    if draw.chance(0.5):
        sizes = [draw.choice([4, draw.dim()]) for _ in range(spatial)]
        arguments["sizes"] = sizes[0] if draw.chance(0.3) else tuple(sizes)
    else:
        factors = [draw.choice([2, 3, 2.0, 1.5, 1.3]) for _ in range(spatial)]
        arguments["factor"] = factors[0] if draw.chance(0.5) else tuple(factors)
    return arguments


def pad_image(draw: Draw, spelling: Spelling) -> Arguments:
    spatial = _spatial(spelling)
    widths: Any = draw.random.randint(0, 3)
    if draw.chance(0.5):
        widths = tuple(draw.random.randint(0, 2) for _ in range(2 * spatial))
    if draw.chance(0.2):
        widths = draw.dim(2, 3)
    return {"x": _image(draw, draw.dim(), spatial), "widths": widths, "value": 0.0}


SAMPLERS = {
    convolution.convolution: convolve,
    convolution.transposed_convolution: convolve_back,
    pooling.pool: pool,
    pooling.adaptive_pool: adaptive_pool,
    pooling.unfold: unfold,
    pooling.fold: fold,
    pooling.pixel_shuffle: shuffle,
    pooling.pixel_unshuffle: shuffle,
    pooling.channel_shuffle: channel_shuffle,
    pooling.resize: resize,
    padding.pad_image: pad_image,
}

_MEAN = "one place is the mean, which torch takes of any number of axes"
SILENT = {
    path: _MEAN
    for spatial in (2, 3)
    for path in (
        f"torch.nn.AdaptiveAvgPool{spatial}d",
        f"torch.nn.functional.adaptive_avg_pool{spatial}d",
    )
}
