"""ATN308: attention whose result is added to what it attends to."""

import pytest

torch = pytest.importorskip("torch")

from attncheck.engine import check_source  # noqa: E402
from attncheck.settings import Settings  # noqa: E402

MODULE = """import torch
import torch.nn as nn

class Layer(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.cross = nn.MultiheadAttention(d, h, batch_first=True)
        self.drop, self.norm = nn.Dropout(0.0), nn.LayerNorm(d)

    def forward(self, tgt, memory):
        out, _ = self.cross({given})
        return {result}
"""


def found(given, result):
    code = MODULE.format(given=given, result=result)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.severity, each.line, each.fix and each.fix.line) for each in findings]


def runs(given, result):
    namespace = {}
    exec(MODULE.format(given=given, result=result), namespace)
    try:
        namespace["Layer"](8, 2)(torch.randn(3, 5, 8), torch.randn(3, 7, 8))
    except RuntimeError:
        return False
    return True


@pytest.mark.parametrize(
    ("given", "right"),
    [
        ("memory, tgt, tgt", "tgt, memory, memory"),
        ("query=memory, key=tgt, value=tgt", "query=tgt, key=memory, value=memory"),
        ("memory, tgt, tgt, need_weights=False", "tgt, memory, memory, need_weights=False"),
    ],
)
@pytest.mark.parametrize("result", ["tgt + out", "self.norm(tgt + self.drop(out))", "out + tgt"])
def test_a_result_for_each_of_the_wrong_sequence(given, right, result):
    fix = f"out, _ = self.cross({right})"
    assert found(given, result) == [("ATN308", "warning", 11, fix)]
    assert found(right, result) == []
    assert (runs(given, result), runs(right, result)) == (False, True)


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ("tgt, tgt, tgt", "tgt + out"),
        ("memory, tgt, tgt", "memory + out"),
        ("memory, tgt, tgt", "out"),
        # As many of both, whatever they are.
        ("memory[:, :4], tgt[:, :4], tgt[:, :4]", "tgt[:, :4] + out"),
    ],
)
def test_other_sums(given, result):
    assert [code for code, *_ in found(given, result) if code == "ATN308"] == []
