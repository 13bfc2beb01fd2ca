"""Which tensor a finding names, the shape that it should have, and the asserts that tell.

Each program has one finding. Its asserts hold in the corrected program when that is run, and where
a value has to tell what no shape shows, they fail in the wrong one.
"""

from typing import NamedTuple

import numpy as np
import pytest

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.settings import Settings

torch = pytest.importorskip("torch")
HEAD = "import numpy as np\nimport torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n"


class Case(NamedTuple):
    """A program, the call that runs it, and what is said of its tensor.

    ``catches`` says whether the asserts fail in the wrong program: None where that raises before.
    """

    text: str
    run: str
    code: str
    tensor: tuple[str, tuple | None]
    expected: tuple | None
    asserts: tuple[str, ...]
    catches: bool | None = True


CASES = {
    "what has a name is told by it": Case(
        "def f(scores, v):\n"
        '    """scores (B, T_dec, T_enc), v (B, T_enc, d_v)."""\n'
        "    B, T_dec, T_enc = scores.shape\n"
        "    alpha = F.softmax(scores, dim=1)\n"
        "    return alpha @ v\n",
        "f(torch.randn(2, 3, 5), torch.randn(2, 5, 4))",
        "ATN301",
        ("scores", ("B", "T_dec", "T_enc")),
        ("B", "T_dec", "T_enc"),
        (
            "assert alpha.shape == (B, T_dec, T_enc)",
            "assert torch.allclose(alpha.sum(dim=-1), torch.ones(()))",
        ),
    ),
    "what is right without a name is told by what is made of it": Case(
        "def f(hidden, w, v):\n"
        '    """hidden (B, T_dec, T_enc, d), w (d,), v (B, T_enc, d_v)."""\n'
        "    B, T_dec, T_enc, d = hidden.shape\n"
        "    alpha = F.softmax(hidden @ w, dim=1)\n"
        "    return alpha @ v\n",
        "f(torch.randn(2, 3, 5, 4), torch.randn(4), torch.randn(2, 5, 4))",
        "ATN301",
        ("alpha", ("B", "T_dec", "T_enc")),
        ("B", "T_dec", "T_enc"),
        (
            "assert alpha.shape == (B, T_dec, T_enc)",
            "assert torch.allclose(alpha.sum(dim=-1), torch.ones(()))",
        ),
    ),
    "the sum that a softmax by hand divides by": Case(
        "def f(query, key, value):\n"
        '    """query (T_dec, d_k), key (T_enc, d_k), value (T_enc, d_v)."""\n'
        "    scores = query @ key.T\n"
        "    weights = np.exp(scores) / np.sum(np.exp(scores))\n"
        "    return weights @ value\n",
        "f(np.ones((3, 2)), np.ones((5, 2)), np.ones((5, 4)))",
        "ATN301",
        ("np.sum(np.exp(scores))", ()),
        ("T_dec", 1),
        (
            "assert weights.shape == (query.shape[0], key.shape[0])",
            "assert np.allclose(weights.sum(axis=-1), 1)",
        ),
    ),
    "a weight turned round is told as it is stored": Case(
        "def f(h, W):\n    k = h @ W.T\n    return k\nf(np.ones((2, 3, 4)), np.ones((5, 6)))\n",
        "",
        "ATN101",
        ("W", (5, 6)),
        (5, 4),
        ("assert h.shape[2] == W.shape[1]",),
        None,
    ),
    "the variable that the fix changes in the other operand": Case(
        "class Decoder(nn.Module):\n"
        "    def __init__(self, d):\n"
        "        super().__init__()\n"
        "        self.W_a, self.U_a = nn.Linear(d, d), nn.Linear(d, d)\n"
        "    def forward(self, state, encoder_outputs):\n"
        "        s_prev = state[0]\n"
        "        e = torch.tanh(self.W_a(s_prev) + self.U_a(encoder_outputs))\n"
        "        return e\n\n\n"
        "encoder_outputs, state = nn.LSTM(4, 6, 2, batch_first=True)(torch.ones(3, 5, 4))\n"
        "Decoder(6)(state, encoder_outputs)\n",
        "",
        "ATN110",
        ("s_prev", (2, 3, 6)),
        (3, 1, 6),
        ("assert e.shape[:2] == (encoder_outputs.shape[0], encoder_outputs.shape[1])",),
        None,
    ),
    "rows that are tiled": Case(
        "def f(x, mask, n_heads: int, d_model: int):\n"
        '    """x (B, T, d_model), mask (B, T, T)."""\n'
        "    attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)\n"
        "    B, T, _ = x.shape\n"
        "    tiled = mask.repeat(n_heads, 1, 1)\n"
        "    out, _ = attn(x, x, x, attn_mask=tiled)\n"
        "    return out\n",
        "f(torch.randn(2, 5, 6), torch.rand(2, 5, 5).triu(1) > 0.5, 3, 6)",
        "ATN307",
        ("tiled", ("n_heads*B", "T", "T")),
        ("n_heads*B", "T", "T"),
        (
            "assert tiled.shape == (n_heads * B, T, T)",
            "assert torch.equal(tiled, mask.repeat_interleave(n_heads, dim=0))",
        ),
    ),
    "a layer for the other layout": Case(
        "class Encoder(nn.Module):\n"
        "    def __init__(self, d_in, d_hid):\n"
        "        super().__init__()\n"
        "        self.rnn = nn.GRU(d_in, d_hid)\n"
        "    def forward(self, x):\n"
        "        B, T, _ = x.shape\n"
        "        states, _ = self.rnn(x)\n"
        "        return states\n",
        "Encoder(4, 6)(torch.randn(2, 5, 4))",
        "ATN304",
        ("x", ("B", "T", "d_in")),
        ("T", "B", "d_in"),
        ("assert self.rnn.batch_first",),
    ),
}

each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def only(case):
    """The finding about a program."""
    (finding,) = check_source((HEAD + case.text).encode(), "code.py", Settings()).findings
    return finding


def with_asserts(text, finding):
    """A program with the asserts of a finding behind the statement that it is about."""
    lines = text.split("\n")
    line = lines[finding.line - 1]
    indent = line[: len(line) - len(line.lstrip())]
    return "\n".join(
        [
            *lines[: finding.line],
            *(indent + text for text in finding.regression),
            *lines[finding.line :],
        ]
    )


def run(text, case):
    torch.manual_seed(0)
    exec(compile(text + "\n" + case.run, "code.py", "exec"), {"np": np, "torch": torch})


@each_case
def test_tensor_and_what_it_should_be(case):
    finding = only(case)
    assert finding.code == case.code
    assert (finding.tensor.name, finding.tensor.shape) == case.tensor
    assert finding.expected.shape == case.expected


@each_case
def test_asserts(case):
    assert only(case).regression == case.asserts


@pytest.mark.parametrize("case", [c for c in CASES.values() if c.catches])
def test_asserts_hold_in_the_corrected_program_and_fail_in_the_wrong_one(case):
    finding = only(case)
    text = HEAD + case.text
    with pytest.raises(AssertionError):
        run(with_asserts(text, finding), case)
    fixed = apply_edits(text.encode(), finding.fix.edits).decode()
    run(with_asserts(fixed, finding), case)


@pytest.mark.parametrize(
    ("value", "again"),
    [("x", True), ("F.relu(x)", True), ("F.dropout(x, 0.5)", False), ("torch.randn(2, 3)", False)],
)
def test_what_differs_each_time_is_not_computed_again(value, again):
    text = (
        "def f(x: torch.Tensor, s: torch.Tensor, n: int):\n"
        "    B, d = x.shape\n"
        "    rows = s.reshape(B * n, d)\n"
        f"    q = {value}.repeat(n, 1)\n"
        "    return rows + q\n\n\n"
        "f(torch.ones(2, 3), torch.ones(2, 4, 3), 4)\n"
    )
    (finding,) = check_source((HEAD + text).encode(), "code.py", Settings()).findings
    reference = f"assert torch.equal(q, {value}.repeat_interleave(n, dim=0))"
    assert (reference in finding.regression) is again
    assert not any("equal(" in each for each in finding.regression if each != reference)
