"""ATN308: a part of attention taken of another's tensor, while what was made for it is unread."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
import torch.nn.functional as F
from torch import nn


class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)

    def split(self, x):
        B, T, d = x.shape
        return x.view(B, T, self.n_heads, d // self.n_heads).transpose(1, 2)

    def forward(self, x):
        q, k, v = self.W_q(x), self.W_k(x), self.W_v(x)
        {split}
        {scores}
        {more}
        return {result}
"""
SPLIT = "q, k, v = self.split(q), self.split(k), self.split(v)"
SCORES = "scores = q @ k.transpose(-2, -1) / self.d_k ** 0.5"
RESULT = "scores.softmax(-1) @ v"
RIGHT = {"split": SPLIT, "scores": SCORES, "result": RESULT, "more": ""}


def code(**parts):
    return CODE.format(**RIGHT | parts)


def found(source):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(source.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


EINSUM = 'scores = torch.einsum("bhqd,bhkd->bhqk", {}, {}) * self.d_k ** -0.5'
LIBRARY = "F.scaled_dot_product_attention({}, {}, {})"


@pytest.mark.parametrize(
    "part, line, wrong, right",
    [
        ("split", 20, "q, k, v = self.split(q), self.split(q), self.split(v)", SPLIT),
        ("split", 20, "q, k, v = self.split(q), self.split(k), self.split(k)", SPLIT),
        ("split", 20, "q, k, v = self.split(k), self.split(k), self.split(v)", SPLIT),
        ("scores", 21, SCORES.replace("k.", "q."), SCORES),
        ("scores", 21, SCORES.replace("= q", "= k"), SCORES),
        ("scores", 21, EINSUM.format("q", "q"), EINSUM.format("q", "k")),
        ("result", 23, "scores.softmax(-1) @ k", RESULT),
    ],
)
def test_a_part_of_another(part, line, wrong, right):
    fix = f"return {right}" if part == "result" else right
    assert found(code(**{part: wrong})) == [("ATN308", line, fix)]
    assert found(code(**{part: right})) == []


@pytest.mark.parametrize("parts", [("q", "q", "v"), ("q", "k", "k")])
def test_a_part_of_a_librarys_attention(parts):
    wrong, right = LIBRARY.format(*parts), LIBRARY.format("q", "k", "v")
    assert found(code(scores="", result=wrong)) == [("ATN308", 23, f"return {right}")]
    assert found(code(scores="", result=right)) == []


@pytest.mark.parametrize("more", ["print(k.mean())", "self.cache = (k, v)", "x = F.relu(k)"])
def test_a_part_that_is_read_for_something_else(more):
    assert found(code(scores=SCORES.replace("k.", "q."), more=more)) == []


def test_what_is_read_before_it_gets_something_else():
    split = "k = self.split(k); print(k); q, k, v = self.split(q), self.split(q), self.split(v)"
    assert found(code(split=split)) == []


def test_a_shared_projection_is_a_choice():
    source = code(split="q, v = self.split(q), self.split(v)", scores=SCORES.replace("k.", "q."))
    source = source.replace("q, k, v = self.W_q(x), self.W_k(x), ", "q, v = self.W_q(x), ")
    assert found(source.replace("        self.W_k = nn.Linear(d_model, d_model)\n", "")) == []


def test_what_the_message_says():
    source = code(scores=SCORES.replace("k.", "q."))
    (finding,) = check_source(source.encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`q.transpose(-2, -1)` takes its keys from `q`, which its queries come from as well; `k`,"
        " which line 20 makes in the same way, is never read: nothing raises while both are of one"
        " shape"
    )
    assert (finding.function, finding.tensor.name) == ("Attention.forward", "q")


def test_the_key_projection_learns_only_after_the_fix():
    def run(scores):
        scope = {}
        exec(code(scores=scores), scope)
        torch.manual_seed(0)
        attention = scope["Attention"](6, 2)
        attention(torch.randn(2, 4, 6)).square().sum().backward()
        return attention.W_k.weight.grad

    assert run(SCORES.replace("k.", "q.")) is None
    assert float(run(SCORES).abs().sum()) > 0


ARGUMENTS = """import torch
from torch import nn
class MultiHead(nn.Module):
    def __init__(self, d_model, h):
        super().__init__()
        self.h, self.d_k = h, d_model // h
        self.w_q, self.w_k = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
    def split(self, x):
        B, T, _ = x.shape
        return x.view(B, T, self.h, self.d_k).transpose(1, 2)
    def forward(self, {parameters}):
        q, k = self.split(self.w_q({asks})), self.split(self.w_k({compared}))
        v = self.split(self.w_v({read}))
        return torch.softmax(q @ k.transpose(-2, -1) / self.d_k ** 0.5, dim=-1) @ v
"""
THREE = "query, key, value"


@pytest.mark.parametrize(
    ("parameters", "inputs", "fixed"),
    [
        (THREE, ("query", "query", "value"), "self.split(self.w_k(key))"),
        (THREE, ("query", "key", "key"), "v = self.split(self.w_v(value))"),
        (THREE, ("key", "key", "value"), "self.split(self.w_q(query))"),
        ("q_in, k_in, v_in", ("q_in", "q_in", "v_in"), None),  # names that say nothing
        (THREE, ("query", "query", "query"), None),  # attention to itself: two are unread
        ("query, key=None, value=None", ("query", "query", "value"), None),
        ("query, value", ("query", "value", "value"), None),
    ],
)
def test_arguments_that_are_never_read(parameters, inputs, fixed):
    asks, compared, read = inputs
    source = ARGUMENTS.format(parameters=parameters, asks=asks, compared=compared, read=read)
    findings = check_source(source.encode(), "x.py", Settings()).findings
    assert [each.code for each in findings] == ["ATN308"] * (fixed is not None)
    for finding in findings:
        assert finding.fix is not None and fixed in finding.fix.line
        assert "the argument for the" in finding.message


def test_an_argument_that_another_function_gets():
    source = ARGUMENTS.format(parameters=THREE, asks="query", compared="query", read="value")
    source = source.replace(
        "    def forward", "    def other(self, key): return key\n    def forward"
    )
    source = source.replace("        return torch", "        self.other(key)\n        return torch")
    assert check_source(source.encode(), "x.py", Settings()).findings == ()
