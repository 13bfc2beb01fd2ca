"""ATN305, ATN501: regions that are written along an axis of 1 in the place of a longer one."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

MAP = """import torch


def regions(H, W, width=4, shift=2):
    {name} = torch.zeros({shape})
    count = 0
    for h in ({slices}):
        for w in ({slices}):
            {name}[{key}] = count
            count += 1
    return {name}


made = regions(8, 12)
"""
SWIN = "slice(0, -width), slice(-width, -shift), slice(-shift, None)"


def painted(key, shape, name="numbers", slices=SWIN):
    return MAP.format(key=key, shape=shape, name=name, slices=slices)


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("shape", "key", "right"),
    [
        ("1, 1, H, W", ":, h, w, :", ":, :, h, w"),
        ("(1, 1, H, W)", ":, h, w, :", ":, :, h, w"),
        ("1, H, W, 1", ":, :, h, w", ":, h, w, :"),
        ("1, H, W", "h, w, :", ":, h, w"),
        ("H, W, 1", ":, h, w", "h, w, :"),
    ],
)
def test_slices_of_an_axis_of_one(shape, key, right):
    assert found(painted(key, shape)) == [("ATN305", 9, f"numbers[{right}] = count")]
    assert found(painted(right, shape)) == []


def test_a_mask_by_its_name():
    code = painted(":, h, w, :", "1, 1, H, W", "img_mask")
    assert found(code) == [("ATN501", 9, "img_mask[:, :, h, w] = count")]
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.tensor.name == "img_mask"
    assert finding.tensor.shape == finding.expected.shape == (1, 1, 8, 12)
    assert finding.message == (
        "`img_mask[:, h, w, :]` cuts axes 1 and 2 of `img_mask` (1, 1, 8, 12): axis 1 has one"
        " place, so that a slice is empty or takes it whole, and axis 3 is never cut; nothing"
        " raises"
    )


@pytest.mark.parametrize(
    ("key", "shape", "slices"),
    [
        (":, h, w, :", "1, H, W, 1", SWIN),
        (":, :, h, w", "1, 1, H, W", SWIN),
        ("..., h, w", "1, 1, H, W", SWIN),
        ("h, w", "H, W", SWIN),
        # The first places of a cache for one sequence: the axis of 1 is taken whole.
        ("h, w, :", "1, H, W", "slice(0, 1), slice(None, 1)"),
        ("h, w, :", "1, H, W", "slice(None, shift), slice(0, width)"),
        # A map of each channel, whatever it is for.
        (":, h, w, :", "1, H // 4, W // 4, H", SWIN),
    ],
)
def test_maps_that_are_painted_right(key, shape, slices):
    assert found(painted(key, shape, slices=slices)) == []


def test_a_cache_of_any_number_of_sequences():
    code = (
        "import torch\n\n\n"
        "def fill(x, start):\n"
        "    B, T, d = x.shape\n"
        "    cache = torch.zeros(1, 100, d)\n"
        "    cache[:B, start : start + T, :] = x\n"
        "    return cache\n"
    )
    assert found(code) == []


@pytest.mark.parametrize(
    ("key", "seen"), [(":, h, w, :", [6, 7, 8]), (":, :, h, w", [0, 1, 2, 3, 4, 5, 6, 7, 8])]
)
def test_the_regions_that_are_told_apart(key, seen):
    scope = {}
    exec(painted(key, "1, 1, H, W"), scope)
    assert scope["made"].shape == (1, 1, 8, 12)
    assert torch.unique(scope["made"]).tolist() == seen
