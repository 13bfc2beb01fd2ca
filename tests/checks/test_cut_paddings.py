"""Paddings by negative widths that cut more from an axis than it has."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
import torch
import torch.nn.functional as F
from torch import nn


class Bias(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.slopes = nn.Parameter(torch.rand(heads, 1, 1))

    def forward(self, scores):
        heads, rows, columns = scores.shape[-3:]
        bias = self.slopes * (torch.arange(columns) - torch.arange(rows)[:, None])
        {line}
        {pad}
        return scores + bias


print(Bias(4)(torch.randn(2, 8, 20, 20)).shape)
"""
PAD = "bias = F.pad(bias, (0, 0, 0, 0, 0, more))"


def alarms(code):
    found = check_source(code.encode(), "x.py", Settings()).findings
    return [each for each in found if each.severity != "note"]


@pytest.mark.parametrize(
    ("line", "pad", "fixed"),
    [
        ("more = heads - bias.shape[1]", PAD, "more = heads - bias.shape[0]"),
        ("more = heads - bias.size(1)", PAD, "more = heads - bias.size(0)"),
        ("more = heads - bias.shape[-1]", PAD, "more = heads - bias.shape[-3]"),
        (
            "had = bias.shape[1]",
            PAD.replace("more", "heads - had"),
            "had = bias.shape[0]",
        ),
        (
            "pass",
            PAD.replace("more", "heads - bias.shape[-2]"),
            PAD.replace("more", "heads - bias.shape[-3]"),
        ),
    ],
)
def test_the_count_is_read_from_the_padded_axis(line, pad, fixed):
    code = CODE.format(line=line, pad=pad)
    (finding,) = alarms(code)
    assert (finding.code, finding.line) == ("ATN104", 15)
    assert finding.message.endswith("pads an axis of 4 by -12: that cuts more than it has")
    assert (finding.tensor.name, finding.tensor.shape) == ("bias", (4, 20, 20))
    assert finding.fix.line == fixed
    with pytest.raises(RuntimeError, match="length must be non-negative"):
        exec(code, {})
    right = code.replace(line if line != "pass" else pad, fixed)
    assert alarms(right) == []
    exec(right, {})


@pytest.mark.parametrize(
    ("line", "pad"),
    [
        # As many as there are may be cut, and then put on again.
        ("pass", "bias = F.pad(bias, (0, 0, 0, 0, -4, 8))"),
        ("pass", "bias = F.pad(bias, (-1, 1, 0, 0, 0, 4))"),
        ("more = heads - bias.shape[1] + 16", PAD),
    ],
)
def test_what_is_left_may_be_padded(line, pad):
    code = CODE.format(line=line, pad=pad)
    assert alarms(code) == []
    exec(code, {})
