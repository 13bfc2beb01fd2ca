"""Queries, keys and values of the wrong sequence, or of each other's projection."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """import torch
import torch.nn.functional as F
from torch import nn


class {name}(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)

    def forward(self, {inputs}):
        q = {q}
        k = {k}
        v = {v}
        {scored}
"""
LIBRARY = "return F.scaled_dot_product_attention(q, k, v)"
BY_HAND = "return (q @ k.transpose(-2, -1) * q.size(-1) ** -0.5).softmax(-1) @ v"
KEYS_FIRST = "return (k @ q.unsqueeze(-1)).squeeze(-1).softmax(-1).unsqueeze(1) @ v"
every_form = pytest.mark.parametrize("scored", [LIBRARY, BY_HAND])


def findings(q, k, v, scored=LIBRARY, name="Attention", inputs="x, memory"):
    code = CODE.format(name=name, inputs=inputs, q=q, k=k, v=v, scored=scored)
    result = check_source(code.encode(), "sources.py", Settings())
    return [each for each in result.findings if each.code == "ATN308"]


@every_form
@pytest.mark.parametrize(
    "parts, fix",
    [
        (("self.W_q(x)", "self.W_q(x)", "self.W_v(x)"), "k = self.W_k(x)"),
        (("self.W_k(x)", "self.W_k(x)", "self.W_v(x)"), "q = self.W_q(x)"),
        (("self.W_q(x)", "self.W_k(x)", "self.W_k(x)"), "v = self.W_v(x)"),
    ],
)
def test_projection_of_another_part(parts, fix, scored):
    (found,) = findings(*parts, scored)
    assert found.severity == "warning"
    assert found.fix.line == fix


@pytest.mark.parametrize(
    "parts, fix",
    [
        (("self.W_q(x)", "self.W_k(memory)", "self.W_v(x)"), "v = self.W_v(memory)"),
        (("self.W_q(x)", "self.W_k(x)", "self.W_v(memory)"), "k = self.W_k(memory)"),
    ],
)
def test_keys_and_values_of_two_sequences(parts, fix):
    (found,) = findings(*parts)
    assert found.severity == "error"
    assert found.fix.line == fix


def test_decoder_that_its_encoder_asks():
    parts = "self.W_q(encoder_outputs)", "self.W_k(x)", "self.W_v(x)"
    (found,) = findings(*parts, name="DecoderLayer", inputs="x, encoder_outputs")
    assert found.severity == "warning"
    assert "the encoder looks at the decoder" in found.message
    assert findings(*parts, name="CoAttention", inputs="x, encoder_outputs") == []


@pytest.mark.parametrize(
    "parts, scored",
    [
        (("self.W_q(x)", "self.W_k(x)", "self.W_v(x)"), LIBRARY),
        (("self.W_q(x)", "self.W_k(memory)", "self.W_v(memory)"), LIBRARY),
        (("self.W_q(x)", "self.W_k(memory)", "self.W_v(memory)"), BY_HAND),
        (("self.W_q(x[:, 0])", "self.W_k(x)", "self.W_v(x)"), KEYS_FIRST),
        (("self.W_q(x)", "self.W_k(x + memory)", "self.W_v(x)"), LIBRARY),
        (("x", "memory", "memory"), LIBRARY),
        (("self.W_v(x)", "self.W_q(x)", "self.W_k(x)"), LIBRARY),
    ],
)
def test_what_belongs_together(parts, scored):
    assert findings(*parts, scored) == []


def test_sequences_that_are_asserted_to_be_of_one_length():
    code = CODE.format(
        name="Aligned",
        inputs="x, memory",
        q="self.W_q(x)",
        k="self.W_k(memory)",
        v="self.W_v(x)",
        scored=LIBRARY,
    ).replace("        q =", "        assert x.shape == memory.shape\n        q =")
    result = check_source(code.encode(), "sources.py", Settings())
    assert [each for each in result.findings if each.code == "ATN308"] == []
