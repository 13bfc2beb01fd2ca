"""ATN305: what a layer gives in parts side by side, parted along the positions or the batch."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import torch
import torch.nn as nn

class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h, self.qkv, self.gate = h, nn.Linear(d, 3 * d), nn.Linear(d, 2 * d)

    def forward(self, x):
        B, T, C = x.shape
        {split}
        q, k, v = (t.reshape(B, T, self.h, C // self.h).transpose(1, 2) for t in (q, k, v))
        y = (q @ k.transpose(-2, -1) / (C // self.h) ** 0.5).softmax(-1) @ v
        return y.transpose(1, 2).reshape(B, T, C)
"""


def found(split):
    code = MODULE.format(split=split)
    return [
        (each.code, each.line, each.fix and each.fix.line)
        for each in check_source(code.encode(), "x.py", Settings()).findings
    ]


def attended(split):
    """What the first position gives before and after the last one has changed."""
    torch.manual_seed(0)
    namespace = {}
    exec(MODULE.format(split=split), namespace)
    model, x = namespace["Attention"](8, 2), torch.randn(3, 6, 8)
    return model(x)


@pytest.mark.parametrize(
    ("split", "fix"),
    [
        ("q, k, v = self.qkv(x).chunk(3, dim=1)", "q, k, v = self.qkv(x).chunk(3, dim=-1)"),
        ("q, k, v = self.qkv(x).chunk(3, 1)", "q, k, v = self.qkv(x).chunk(3, -1)"),
        (
            "q, k, v = torch.chunk(self.qkv(x), 3, dim=1)",
            "q, k, v = torch.chunk(self.qkv(x), 3, dim=-1)",
        ),
        ("q, k, v = self.qkv(x).chunk(3, dim=0)", "q, k, v = self.qkv(x).chunk(3, dim=-1)"),
        ("q, k, v = self.qkv(x).chunk(3)", "q, k, v = self.qkv(x).chunk(3, dim=-1)"),
    ],
)
def test_parts_of_the_sequence(split, fix):
    assert found(split)[0] == ("ATN305", 11, fix)
    assert found(fix) == []
    assert attended(split).shape == attended(fix).shape
    assert not torch.allclose(attended(split), attended(fix), atol=1e-3)


@pytest.mark.parametrize(
    "split",
    [
        "q, k, v = self.qkv(x).chunk(3, dim=-1)",
        "q, k, v = self.qkv(x).chunk(3, dim=2)",
        "q, k, v = self.qkv(x).reshape(B, T, 3, C).unbind(2)",
        "q, k, v = self.qkv(torch.cat([x, x, x], 1))[..., :C].chunk(3, dim=1)",
        # Samples with and without their condition, behind each other in a batch.
        "q, k, v = (self.gate(torch.cat([x, x])).chunk(2)[0][..., :C] for _ in range(3))",
    ],
)
def test_right_code(split):
    assert found(split) == []
