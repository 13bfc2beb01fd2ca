"""Tables with an axis of 1 in front, cut there and not along their positions."""

import pytest

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, longest, dim):
        super().__init__()
        self.register_buffer("numbers", torch.arange(longest).expand((1, -1)))
        self.register_buffer("table", torch.zeros(1, longest, dim))
        self.token = nn.Parameter(torch.zeros(1, 1, dim))

    def forward(self, x, start=0):
        n = x.shape[1]
        return {expression}
"""


def findings(expression):
    code = CODE.format(expression=expression)
    return code, check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("expression", "mended"),
    [
        ("x + self.table[:n]", "x + self.table[:, :n]"),
        ("self.numbers[:n]", "self.numbers[:, :n]"),
        ("x + self.table[: x.size(1), :]", "x + self.table[:, : x.size(1)]"),
        ("x + self.table[start : start + n, :, :]", "x + self.table[:, start : start + n]"),
    ],
)
def test_the_axis_of_1_is_cut(expression, mended):
    code, (finding,) = findings(expression)
    assert (finding.code, finding.line) == ("ATN305", 14)
    assert "leaves axis 1 (longest) whole" in finding.message
    assert finding.fix is not None
    fixed = apply_edits(code.encode(), finding.fix.edits).decode()
    assert fixed == CODE.format(expression=mended)


@pytest.mark.parametrize(
    "expression",
    [
        "x + self.table[:, :n]",
        "x + self.table[:1, :n]",
        "x + self.table[:, :n, :]",
        "self.numbers[:, :n]",
        "self.token[:n].expand(len(x), -1, -1)",
        "x[:1] + x[:, None][:, 0]",
    ],
)
def test_other_cuts_are_left_alone(expression):
    assert findings(expression)[1] == ()
