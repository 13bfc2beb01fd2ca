"""Maps pooled by a window of H x H, flattened, and given to a layer of their channels."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
import torch
import torch.nn.functional as F
from torch import nn


class Gate(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.mlp = nn.Sequential(nn.Flatten(), nn.Linear(channels, 4), nn.ReLU())
        self.lone = nn.Linear(channels, 4)

    def forward(self, x):
        {line}
        return {result}


print(Gate(32)(torch.randn(2, 32, {sizes})).shape)
"""


def alarms(line, result="self.mlp(pooled)", sizes="6, 18"):
    code = CODE.format(line=line, result=result, sizes=sizes)
    found = check_source(code.encode(), "x.py", Settings()).findings
    return code, [each for each in found if each.severity != "note"]


@pytest.mark.parametrize(
    ("line", "fixed"),
    [
        (
            "pooled = F.avg_pool2d(x, x.size(2), stride=x.size(2))",
            "pooled = F.avg_pool2d(x, (x.size(2), x.size(3)), stride=x.size(2))",
        ),
        (
            "pooled = F.max_pool2d(x, kernel_size=x.shape[2])",
            "pooled = F.max_pool2d(x, kernel_size=(x.shape[2], x.shape[3]))",
        ),
        (
            "pooled = F.avg_pool2d(x, x.shape[-2])",
            "pooled = F.avg_pool2d(x, (x.shape[-2], x.shape[-1]))",
        ),
    ],
)
@pytest.mark.parametrize("result", ["self.mlp(pooled)", "self.lone(pooled.flatten(1))"])
def test_the_window_is_to_blame(line, fixed, result):
    code, (finding,) = alarms(line, result)
    assert (finding.code, finding.line) == ("ATN103", 13)
    assert "is to blame: it leaves (2, 32, 1, 3)" in finding.message
    assert (finding.tensor.name, finding.tensor.shape) == ("pooled", (2, 32, 1, 3))
    assert finding.expected.shape == (2, 32, 1, 1)
    assert finding.fix.line == fixed
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        exec(code, {})
    right, found = alarms(fixed, result)
    assert found == []
    exec(right, {})


def test_where_no_axis_is_pooled_to_one_place_the_layer_is_told():
    _, (finding,) = alarms("pooled = F.avg_pool2d(x, 3)")
    assert (finding.code, finding.line) == ("ATN103", 9)
    assert "the constructor is to blame" in finding.message


@pytest.mark.parametrize(
    ("line", "sizes"),
    [
        ("pooled = F.avg_pool2d(x, x.size(2))", "6, 6"),
        ("pooled = F.avg_pool2d(x, (x.size(2), x.size(3)))", "6, 18"),
        ("pooled = F.adaptive_avg_pool2d(x, 1)", "6, 18"),
    ],
)
def test_one_place_for_each_channel_fits(line, sizes):
    code, found = alarms(line, sizes=sizes)
    assert found == []
    exec(code, {})
