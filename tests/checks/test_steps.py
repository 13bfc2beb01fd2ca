"""ATN401 and ATN402: which state of a step is the query, and what code says it should be."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

#: One decoder: {name}, {before} the attention and after it ({after}); {query} is the state used.
DECODER = '''
import torch
from torch import nn


class {name}(nn.Module):
    def __init__(self, d_y, d_h, d_s, d_attn, n_words):
        super().__init__()
        self.W_a = nn.Linear(d_s, d_attn)
        self.U_a = nn.Linear(d_h, d_attn)
        self.v_a = nn.Linear(d_attn, 1)
        self.general = nn.Linear(d_h, d_s)
        {layers}
        self.out = nn.Linear(d_s + d_h, n_words)

    def score(self, s, memory):
        return self.v_a(torch.tanh(self.W_a(s).unsqueeze(1) + self.U_a(memory))).squeeze(2)

    def product(self, s, memory):
        return torch.einsum("bs,bts->bt", s, self.general(memory))

    def find(self, scores, memory):
        return torch.einsum("bt,bth->bh", torch.softmax(scores, dim=1), memory)

    def forward(self, y, state, context, memory):
        """y (B, T_dec, d_y), context (B, d_h), memory (B, T_enc, d_h)."""
        outputs = []
        for t in range(y.size(1)):
            {body}
        return torch.stack(outputs, dim=1)
'''
GRU = "self.cell = nn.GRUCell(d_y + d_h, d_s)"
LSTM = "self.cell = nn.LSTMCell(d_y + d_h, d_s)"
LAYER = "self.rnn = nn.GRU(d_y + d_h, d_s, num_layers=2)"
CONTEXT = "torch.cat([y[:, t], context], dim=1)"
OUTPUT = "outputs.append(self.out(torch.cat([{}, context], dim=1)))"


def check(name, layers, *body, settings=None):
    """(code, the line's text, the fix) of every finding."""
    code = DECODER.format(name=name, layers=layers, body="\n            ".join(body))
    result = check_source(code.encode(), "decoder.py", settings or Settings())
    lines = code.split("\n")
    return [
        (each.code, lines[each.line - 1].strip(), each.fix and each.fix.line)
        for each in result.findings
    ]


ADDITIVE = "context = self.find(self.score({}, memory), memory)"
PRODUCT = "context = self.find(self.product({}, memory), memory)"


@pytest.mark.parametrize(
    ("layers", "update", "state"),
    [
        (GRU, f"state = self.cell({CONTEXT}, state)", "state"),
        (LSTM, f"state = self.cell({CONTEXT}, state)", "state[0]"),
        (LSTM, f"h, c = state = self.cell({CONTEXT}, state)", "h"),
        (LAYER, f"out, state = self.rnn({CONTEXT}.unsqueeze(0), state)", "state[-1]"),
        (LAYER, f"out, state = self.rnn({CONTEXT}.unsqueeze(0), state)", "out.squeeze(0)"),
    ],
)
def test_the_state_after_the_update(layers, update, state):
    (found,) = check(
        "BahdanauDecoder", layers, update, ADDITIVE.format(state), OUTPUT.format(state)
    )
    assert found[0] == "ATN401"
    assert found[1] == ADDITIVE.format(state)


def test_the_update_is_moved_behind_the_attention():
    update, attention = f"state = self.cell({CONTEXT}, state)", ADDITIVE.format("state")
    (found,) = check("AdditiveDecoder", GRU, update, attention, OUTPUT.format("state"))
    assert found[2] == f"{attention}\n{update}"


def test_the_old_state_under_its_name():
    update, attention = f"new = self.cell({CONTEXT}, state)", ADDITIVE
    rest = OUTPUT.format("new"), "state = new"
    (found,) = check("BahdanauDecoder", GRU, update, attention.format("new"), *rest)
    assert found[2] == attention.format("state")


def test_no_order_is_offered_that_leaves_the_update_without_the_context():
    body = f"x = {CONTEXT}", "state = self.cell(x, state)", ADDITIVE.format("state")
    (found,) = check("BahdanauDecoder", GRU, *body, OUTPUT.format("state"))
    assert found[0] == "ATN401" and found[2] is None


@pytest.mark.parametrize(
    ("layers", "update", "old", "new"),
    [
        (GRU, f"new = self.cell({CONTEXT}, state)", "state", "new"),
        (LSTM, f"new = self.cell({CONTEXT}, state)", "state[0]", "new[0]"),
        (LSTM, f"h, c = state; h_t, c_t = self.cell({CONTEXT}, (h, c))", "h", "h_t"),
        (LAYER, f"out, new = self.rnn({CONTEXT}.unsqueeze(0), state)", "state[-1]", "new[-1]"),
    ],
)
@pytest.mark.parametrize("name", ["LuongDecoder", "Decoder"])
def test_the_state_before_the_update(name, layers, update, old, new):
    body = "context = context", update, PRODUCT.format(old), OUTPUT.format(new)
    (found,) = check(name, layers, *body)
    assert found == ("ATN402", PRODUCT.format(old), PRODUCT.format(new))


def test_the_setting_is_a_declaration():
    update, attention = f"state = self.cell({CONTEXT}, state)", ADDITIVE.format("state")
    body = update, attention, OUTPUT.format("state")
    assert not check("Decoder", GRU, *body)
    settings = Settings(convention="bahdanau")
    assert [found[0] for found in check("Decoder", GRU, *body, settings=settings)] == ["ATN401"]
    assert not check("LuongDecoder", GRU, *body, settings=settings)


FIRST = f"state = self.cell({CONTEXT}, state)"
SILENT = {
    "before": ("BahdanauDecoder", GRU, ADDITIVE.format("state"), FIRST, OUTPUT.format("state")),
    "after": ("LuongDecoder", GRU, FIRST, PRODUCT.format("state"), OUTPUT.format("state")),
    "nothing said": ("Decoder", GRU, FIRST, ADDITIVE.format("state"), OUTPUT.format("state")),
    "context into the update": (
        "Decoder",
        GRU,
        PRODUCT.format("state"),
        FIRST,
        OUTPUT.format("state"),
    ),
    "the pair's cell state": (
        "BahdanauDecoder",
        LSTM,
        f"h, c = state = self.cell({CONTEXT}, state)",
        ADDITIVE.format("c"),
        OUTPUT.format("h"),
    ),
}


@pytest.mark.parametrize("body", SILENT.values(), ids=SILENT)
def test_silent(body):
    name, layers, *lines = body
    assert not check(name, layers, *lines)


def test_two_cells_with_the_attention_between_them():
    layers = f"{GRU}; self.second = nn.GRUCell(d_h, d_s)"
    body = (FIRST, ADDITIVE.format("state"), "state = self.second(context, state)")
    assert not check("BahdanauDecoder", layers, *body, OUTPUT.format("state"))


def test_pooling_over_the_outputs_of_an_encoder():
    body = (
        "for u in range(5):",
        f"    state = self.cell({CONTEXT}, state)",
        ADDITIVE.format("state"),
        OUTPUT.format("state"),
    )
    assert not check("BahdanauDecoder", GRU, *body)


def test_who_names_both_has_not_said():
    code = DECODER.replace('"""y', '"""Bahdanau or Luong.\n\n        y')
    body = "\n            ".join((FIRST, ADDITIVE.format("state"), OUTPUT.format("state")))
    text = code.format(name="BahdanauDecoder", layers=GRU, body=body)
    assert not check_source(text.encode(), "decoder.py", Settings()).findings


FLAX = """import jax
import jax.numpy as jnp
from flax import linen as nn


class {name}(nn.Module):
    hidden: int

    @nn.compact
    def __call__(self, inputs, h, enc):
        # inputs (B, T_dec, E), h (B, hidden), enc (B, T_enc, D)
        cell = nn.{cell}(features=self.hidden)
        W = nn.Dense(enc.shape[-1], use_bias=False)
        states = []
        for t in range(inputs.shape[1]):
            {body}
            context = jnp.einsum("bt,btd->bd", jax.nn.softmax(scores), enc)
            states.append(jnp.concatenate([h, context], -1))
        return jnp.stack(states, 1)
"""
ASKED = 'scores = jnp.einsum("bd,btd->bt", W(h), enc)'
STEPPED = "h, y = cell(h, inputs[:, t])"


@pytest.mark.parametrize(
    ("name", "cell", "body", "codes"),
    [
        ("LuongDecoder", "GRUCell", (ASKED, STEPPED), ["ATN402"]),
        ("LuongDecoder", "GRUCell", (STEPPED, ASKED), []),
        ("LuongDecoder", "GRUCell", (STEPPED, ASKED.replace("W(h)", "W(y)")), []),
        ("BahdanauDecoder", "GRUCell", (STEPPED, ASKED.replace("W(h)", "W(y)")), ["ATN401"]),
    ],
)
def test_cells_of_flax(name, cell, body, codes):
    code = FLAX.format(name=name, cell=cell, body="\n            ".join(body))
    findings = check_source(code.encode(), "decoder.py", Settings()).findings
    assert [each.code for each in findings] == codes
