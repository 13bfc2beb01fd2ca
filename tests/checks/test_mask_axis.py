"""ATN501: masks along the queries of a self-attention, and the axis of 1 that is moved."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
import torch.nn.functional as F
from torch import nn
class Layer(nn.Module):
    def __init__(self, n, d, heads):
        super().__init__()
        self.heads = heads
        self.embed = nn.Embedding(n, d)
        self.project = nn.Linear(d, 3 * d)
    def forward(self, tokens, mask=None, lengths=None, bias=None):
        x = self.embed(tokens)
        B, T, d = x.shape
        q, k, v = self.project(x).view(B, T, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        causal = torch.ones(T, T).tril().bool()
        pad = tokens == 0
        e = q @ k.transpose(-2, -1)
"""


def found(*lines):
    """(severity, fix) of every finding of the rule; others are of unused arguments only."""
    code = HEAD + "".join(f"        {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN501", "ATN505"}
    findings = [each for each in findings if each.code == "ATN501"]
    return [(each.severity, each.fix and each.fix.line) for each in findings]


def masked(*lines):
    return found(*lines, "return torch.softmax(e, dim=-1) @ v")


FAULTS = [
    ("e = e.masked_fill(pad[:, None, :, None], -1e9)", "pad[:, None, None, :]"),
    ("e = e.masked_fill(pad.unsqueeze(1).unsqueeze(3), -1e9)", "pad.unsqueeze(1).unsqueeze(2)"),
    ("e = e.masked_fill(pad.unsqueeze(1).unsqueeze(-1), -1e9)", "pad.unsqueeze(1).unsqueeze(-2)"),
    ("e = e.masked_fill(pad[:, None][..., None], -1e9)", "pad[:, None][..., None, :]"),
    ("e = e.masked_fill(pad[:, None, :, None] | ~causal, -1e9)", "pad[:, None, None, :]"),
    ("e = e + pad[:, None, :, None].float() * -1e9", "pad[:, None, None, :]"),
    ("e = torch.where(pad[:, None, :, None], -1e9, e)", "pad[:, None, None, :]"),
    (
        "e = e.masked_fill(pad[:, None, :, None].expand(B, 1, T, T), -1e9)",
        "pad[:, None, None, :]",
    ),
    ("e = e.masked_fill(mask.unsqueeze(1).unsqueeze(3) == 0, -1e9)", None),
]


@pytest.mark.parametrize(("line", "fixed"), FAULTS)
def test_faults(line, fixed):
    ((severity, fix),) = masked(line)
    assert severity == "error"
    assert fixed is None or fixed in fix


def test_in_two_steps():
    assert masked(
        "e = e.masked_fill(~causal, -1e9)", "e = e.masked_fill(pad[:, None, :, None], -1e9)"
    )


def test_in_the_library():
    call = "return F.scaled_dot_product_attention(q, k, v, attn_mask={})"
    ((_, fix),) = found(call.format("~pad[:, None, :, None]"))
    assert fix == call.format("~pad[:, None, None, :]")
    assert found(call.format("~pad[:, None, None, :]")) == []


RIGHT = [
    ("e = e.masked_fill(pad[:, None, None, :], -1e9)",),
    ("e = e.masked_fill(pad[:, None, :, None] | pad[:, None, None, :], -1e9)",),
    ("e = e.masked_fill(pad[:, None, None], -1e9)", "e = e.masked_fill(pad[:, None, :, None], 0)"),
    ("e = e.masked_fill(~causal, -1e9)",),
    ("e = e.masked_fill(mask, -1e9)", "e = e.masked_fill(pad[:, None, :, None], -1e9)"),
    ("e = e + bias", "e = e.masked_fill(pad[:, None, :, None], -1e9)"),
    ("e = e.masked_fill(pad[:, None, :, None], -1e9)", "e[pad] = -1e9"),
    ("e = e.masked_fill(pad[:, None, :, None].transpose(2, 3), -1e9)",),
]


@pytest.mark.parametrize("lines", RIGHT)
def test_right(lines):
    assert masked(*lines) == []


def test_masked_again():
    lines = ("w = torch.softmax(e.masked_fill(pad[:, None, :, None], -1e9), dim=-1)",)
    again = "w = w.masked_fill(pad[:, None, None, :], 0)"
    total = "w = w / w.sum(-1, keepdim=True)"
    assert found(*lines, again, total, "return w @ v") == []
    assert found(*lines, "return w @ v") != []


def test_keys_in_front():
    lines = ("e = k @ q.transpose(-2, -1)", "e = e.masked_fill(pad[:, None, {}], -1e9)")
    rest = "return torch.softmax(e, dim=2).transpose(2, 3) @ v"
    assert found(lines[0], lines[1].format(":, None"), rest) == []
    assert found(lines[0], lines[1].format("None, :"), rest) == [("error", None)]


CROSSED = [
    ("e = e.masked_fill(pad, -1e9)", "e = e.masked_fill(pad[:, None, None, :], -1e9)"),
    (
        "e = e.masked_fill(pad[:, None], -1e9)",
        "e = e.masked_fill(pad[:, None][:, :, None, :], -1e9)",
    ),
    (
        "e = e.masked_fill(pad[:, None] | ~causal, -1e9)",
        "e = e.masked_fill((pad[:, None] | ~causal).unsqueeze(1), -1e9)",
    ),
    ("e = e + pad.float() * -1e9", "e = e + (pad.float() * -1e9)[:, None, None, :]"),
    ("e = torch.where(pad, -1e9, e)", "e = torch.where(pad[:, None, None, :], -1e9, e)"),
    ("e = e.mean(1).masked_fill(pad, -1e9)", "e = e.mean(1).masked_fill(pad[:, None, :], -1e9)"),
]


@pytest.mark.parametrize(("line", "fix"), CROSSED)
def test_axes_of_others(line, fix):
    v = "v.mean(1)" if "mean" in line else "v"
    assert found(line, f"return torch.softmax(e, dim=-1) @ {v}") == [("error", fix)]


NO_SCORES = [
    ("x = x * pad", "return x"),
    ("e = e.masked_fill(causal, -1e9)", "return torch.softmax(e, dim=-1) @ v"),
    ("e = e.masked_fill(pad[:, None, None], -1e9)", "return torch.softmax(e, dim=-1) @ v"),
    ("e = e.masked_fill(pad[:, None, None] | ~causal, -1)", "return e.softmax(-1) @ v"),
]


@pytest.mark.parametrize("lines", NO_SCORES)
def test_axes_of_its_own(lines):
    code = HEAD + "".join(f"        {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert "ATN501" not in {each.code for each in findings}


ATTENTION = """import torch
from torch.nn import functional as F

def attend(x, y, heads):
    B, T, d = x.shape
    S = y.shape[1]
    q = x.view(B, T, heads, -1).transpose(1, 2)
    k = y.view(B, S, heads, -1).transpose(1, 2)
    one = x.unsqueeze(1)
    tokens = torch.zeros(B, S, dtype=torch.bool)
    return F.scaled_dot_product_attention({query}, {key}, {key}, attn_mask={mask})
"""
GIVEN = [
    ("q", "k", "tokens", "tokens[:, None, None, :]"),
    ("q", "k", "torch.zeros(B, T, S)", "torch.zeros(B, T, S).unsqueeze(1)"),
    ("q", "k", "tokens.unsqueeze(1)", "tokens.unsqueeze(1).unsqueeze(2)"),
    ("one", "one", "torch.zeros(B, T, T)", "torch.zeros(B, T, T).unsqueeze(1)"),
]


def told(query, key, mask):
    """(code, severity, fixed line) of every finding."""
    code = ATTENTION.format(query=query, key=key, mask=mask)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.severity, each.fix and each.fix.line) for each in findings]


@pytest.mark.parametrize(("query", "key", "mask", "fixed"), GIVEN)
def test_a_mask_given_to_the_library_without_its_axis_of_heads(query, key, mask, fixed):
    call = f"F.scaled_dot_product_attention({query}, {key}, {key}, attn_mask={fixed})"
    assert told(query, key, mask) == [("ATN501", "error", f"return {call}")]
    assert told(query, key, fixed) == []


@pytest.mark.parametrize("mask", ["torch.zeros(T, S)", "torch.zeros(heads, T, S)", "None"])
def test_a_mask_for_all_sequences_alike(mask):
    assert told("q", "k", mask) == []


CROSS = """\
import torch
from torch import nn


class Cross(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.q, self.k = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, context, mask, context_mask):
        scores = self.split(self.q(x)) @ self.split(self.k(context)).transpose(2, 3)
        {line}
        return scores.softmax(-1)


cross = Cross(8, 2)
x, context = torch.randn(3, 5, 8), torch.randn(3, 7, 8)
mask, context_mask = torch.ones(3, 5).bool(), torch.ones(3, 7).bool()
print(cross(x, context, mask, context_mask).shape)
"""


@pytest.mark.parametrize(
    "laid", ["~{}[:, None, None]", "~{}.unsqueeze(1).unsqueeze(1)", "({0} == 0)[:, None, None, :]"]
)
def test_a_mask_of_the_queries_hides_no_keys_of_another_sequence(laid):
    line = "scores = scores.masked_fill({}, -1e9)"
    wrong = CROSS.format(line=line.format(laid.format("mask")))
    found = check_source(wrong.encode(), "x.py", Settings()).findings
    (finding,) = [each for each in found if each.severity != "note"]
    assert (finding.code, finding.line) == ("ATN501", 16)
    assert "hides 5 positions, as many as there are queries, and there are 7 keys" in (
        finding.message
    )
    assert (finding.tensor.name, finding.tensor.shape) == ("mask", (3, 5))
    assert finding.expected.shape == (3, 7)
    with pytest.raises(RuntimeError, match="must match the size"):
        exec(wrong, {})
    right = CROSS.format(line=line.format(laid.format("context_mask")))
    found = check_source(right.encode(), "x.py", Settings()).findings
    assert [each for each in found if each.severity != "note"] == []
    exec(right, {})
