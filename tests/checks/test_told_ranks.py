"""ATN202 in layers that are given images: a permute that names all axes says how many there are."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

TOWER = """import torch
from torch import nn

class Pool(nn.Module):
    def __init__(self, side, width):
        super().__init__()
        self.positions = nn.Parameter(torch.randn(side ** 2 + 1, width))

    def forward(self, fmap):
        x = fmap.{layout}
        x = torch.cat([x.mean({time}, keepdim=True), x], dim={time})
        return {added}

class Tower(nn.Module):
    def __init__(self, width=64, side=7):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.AdaptiveAvgPool2d(side))
        self.pool = Pool(side, width)

    def forward(self, img):
        return self.pool(self.stem(img))
"""
FIRST, SECOND = ("flatten(2).permute(2, 0, 1)", 0), ("flatten(2).permute(0, 2, 1)", 1)


def found(at, added):
    code = TOWER.format(layout=at[0], time=at[1], added=added)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(
    ("added", "fix"),
    [
        ("x + self.positions", "return x + self.positions.unsqueeze(1)"),
        ("self.positions + x", "return self.positions.unsqueeze(1) + x"),
    ],
)
def test_positions_that_meet_the_batch(added, fix):
    assert found(FIRST, added) == [("ATN202", 12, fix)]


@pytest.mark.parametrize(
    ("at", "added"),
    [
        (FIRST, "x + self.positions[:, None, :]"),
        (FIRST, "x + self.positions.unsqueeze(1)"),
        (SECOND, "x + self.positions"),
        (SECOND, "x + self.positions[None]"),
        # What one image is, nothing says: (width, side, side) goes through the stem as well.
        (("flatten(-2).transpose(-1, -2)", -2), "x + self.positions"),
    ],
)
def test_positions_under_their_own_axis(at, added):
    assert found(at, added) == []
