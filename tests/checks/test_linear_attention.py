"""ATN302 without a softmax: two sums over the keys, over one axis or over two."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
import torch.nn.functional as F
def f(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor):
    B, H, T, d = q.shape
    assert k.shape == (B, H, T, d)
    B, H, T, e = v.shape
    q, k = F.elu(q) + 1, F.elu(k) + 1
"""


def found(*lines):
    """(line, fix) of every finding of the rule; there must be no other."""
    code = HEAD + "".join(f"    {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN302"}
    return [(each.line - 7, each.fix and each.fix.line) for each in findings]


STATE = "kv = torch.einsum('bhtd,bhte->bhde', k, v)"
OUT = "return torch.einsum('bhtd,bhde->bhte', q, kv) / z.unsqueeze(-1)"
RUNNING = (
    "kv = torch.einsum('bhtd,bhte->bhtde', k, v).cumsum(dim=2)",
    "num = torch.einsum('bhtd,bhtde->bhte', q, kv)",
)

WRONG = [
    ((STATE, "z = torch.einsum('bhtd,bhd->bht', q, k.sum({}))", OUT), 2, "dim=1", "dim=2"),
    ((STATE, "z = (q * k.sum({}, keepdim=True)).sum(-1)", OUT), 2, "1", "2"),
    ((*RUNNING, "s = k.cumsum({})", "return num / (q * s).sum(-1, keepdim=True)"), 3, "1", "2"),
]


@pytest.mark.parametrize(("lines", "line", "wrong", "right"), WRONG)
def test_sum_over_another_axis(lines, line, wrong, right):
    assert found(*(each.format(wrong) for each in lines)) == [(line, lines[line - 1].format(right))]


@pytest.mark.parametrize(("lines", "line", "wrong", "right"), WRONG)
def test_sum_over_the_positions(lines, line, wrong, right):
    assert found(*(each.format(right) for each in lines)) == []


def test_values_meet_keys_over_the_features():
    lines = (
        "assert e == d",
        "z = q @ k.sum(dim=2, keepdim=True).transpose(-1, -2)",
        "state = v @ k.transpose(-1, -2)",
        "return (state @ q) / z",
    )
    fix = "state = k.transpose(-1, -2) @ v\nreturn (q @ state) / z"
    assert found(*lines) == [(3, fix)]


def test_all_pairs_of_queries_and_keys():
    lines = (
        "w = q @ k.transpose(-1, -2)",
        "z = q @ k.sum(dim=2, keepdim=True).transpose(-1, -2)",
        "return (w @ v) / z",
    )
    assert found(*lines) == []
