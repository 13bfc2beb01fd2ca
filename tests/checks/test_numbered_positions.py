"""ATN304: tables of positions, and convolutions, say which axis the layers behind them get."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
class Encoder(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.pos = nn.Parameter(torch.randn(1, 512, d))
        self.embed = nn.Linear(8, d)
        layer = nn.TransformerEncoderLayer(d, heads{layout})
        self.encoder = nn.TransformerEncoder(layer, 2)
    def forward(self, x):
        x = self.embed(x).flatten(2)
        x = x + {positions}
        return self.encoder(x){rest}
"""
BEHIND = "self.pos[:, : x.size(1)]"
INSIDE = "self.pos[0, : x.size(0), None]"


def found(layout, positions, rest=""):
    code = CODE.format(layout=layout, positions=positions, rest=rest)
    return check_source(code.encode(), "x.py", Settings()).findings


def test_positions_of_the_second_axis_are_time():
    (finding,) = found("", BEHIND)
    assert (finding.code, finding.severity, finding.line) == ("ATN304", "error", 8)
    assert "`x + self.pos[:, : x.size(1)]` numbers the positions of axis 1" in finding.message
    assert finding.fix is not None and "batch_first=True" in finding.fix.line


@pytest.mark.parametrize(
    ("layout", "positions"),
    [
        (", batch_first=True", BEHIND),
        ("", INSIDE),
        ("", "self.pos.mean(1, keepdim=True)"),  # a bias, which is not cut to any length
        (", batch_first=True", "self.pos[:, : x.size(2)].mean(1, keepdim=True)"),
    ],
)
def test_layouts_that_agree(layout, positions):
    assert found(layout, positions) == ()


PATCHES = """import torch
from torch import nn
class Vision(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.cut = nn.Conv2d(3, d, 16, 16)
        self.cls = nn.Parameter(torch.randn(1, 1, d))
        self.attn = nn.MultiheadAttention(d, heads{layout})
    def forward(self, image):
        x = self.cut(image).flatten(2).transpose(1, 2)
        x = torch.cat([{token}, x], dim=1)
        x = x.permute(1, 0, 2)
        return self.attn(x, x, x)[0].permute(1, 0, 2)
"""


@pytest.mark.parametrize("layout", ["", ", batch_first=True"])
@pytest.mark.parametrize(
    "token", ["self.cls.expand(x.size(0), -1, -1)", "self.cls.repeat(x.shape[0], 1, 1)"]
)
def test_a_class_token_is_copied_for_the_batch_of_the_image(layout, token):
    code = PATCHES.format(layout=layout, token=token)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert [each.code for each in findings] == ["ATN304"] * bool(layout)
    assert all("`self.cut(image)` takes axis 1 for the batch" in each.message for each in findings)
