"""ATN302: queries of linear attention that meet the features of the values."""

import numpy as np
import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
from torch import nn
class Linear(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.W_q, self.W_k, self.W_v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        q, k = torch.softmax(q, dim=-1), torch.softmax(k, dim=1)
        {table}
        return {asked}
"""
#: a table of keys by values, how it is asked rightly, and how wrongly
WAYS = [
    (
        "kv = torch.einsum('bnd,bne->bde', k, v)",
        "torch.einsum('bde,bnd->bne', kv, q)",
        "torch.einsum('bde,bne->bnd', kv, q)",
    ),
    ("kv = k.transpose(1, 2) @ v", "q @ kv", "q @ kv.transpose(1, 2)"),
    ("kv = v.transpose(1, 2) @ k", "q @ kv.transpose(1, 2)", "q @ kv"),
    (
        "kv = torch.einsum('bnd,bne->bde', k, v) / x.shape[1]",
        "torch.einsum('bnd,bde->bne', q, kv)",
        "torch.einsum('bne,bde->bnd', q, kv)",
    ),
]


def found(table, asked):
    code = CODE.format(table=table, asked=asked)
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(("table", "right", "wrong"), WAYS)
def test_the_queries_meet_the_keys(table, right, wrong):
    assert found(table, right) == ()
    (finding,) = found(table, wrong)
    assert (finding.code, finding.severity, finding.line) == ("ATN302", "warning", 12)
    assert "over the features of the values" in finding.message
    assert finding.fix is not None
    mended = CODE.format(table=table, asked=wrong).splitlines()
    mended[11] = f"        {finding.fix.line}"
    assert check_source("\n".join(mended).encode(), "x.py", Settings()).findings == ()


def test_the_fix_computes_what_is_right():
    table, _, wrong = WAYS[0]
    (finding,) = found(table, wrong)
    rng = np.random.default_rng(0)
    q, k, v = rng.normal(size=(3, 2, 5, 4))
    kv = np.einsum("bnd,bne->bde", k, v)
    line = finding.fix.line.removeprefix("return torch.")
    given = {"einsum": np.einsum, "kv": kv, "q": q}
    assert np.allclose(eval(line, given), np.einsum("bde,bnd->bne", kv, q))
    assert not np.allclose(np.einsum("bde,bne->bnd", kv, q), eval(line, given))


def test_names_that_do_not_tell():
    """Which of two projections are the keys is known by their names alone."""
    code = CODE.format(table=WAYS[0][0], asked=WAYS[0][2])
    code = code.replace("k, v)", "a, b)").replace("q, k, v", "q, a, b").replace("q, k =", "q, a =")
    code = code.replace("softmax(k", "softmax(a")
    assert check_source(code.encode(), "x.py", Settings()).findings == ()


@pytest.mark.parametrize(("table", "right", "wrong"), WAYS)
def test_a_rank_that_nobody_says(table, right, wrong):
    """The features of the keys may be any axis behind the one that softmax shares out."""
    code = CODE.format(table=table, asked=right).replace("        B, T, C = x.shape\n", "")
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
