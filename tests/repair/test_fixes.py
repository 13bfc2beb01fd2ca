"""Fixes and asserts rule by rule: the corrected line, what it is called, and what holds after."""

import numpy as np
import pytest

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.settings import Settings

NUMPY = "import numpy as np\n"
TORCH = "import torch\nimport torch.nn.functional as F\n"
EINOPS = TORCH + "from einops import einsum, rearrange\n"
HEADS = "    B, T, d_model = x.shape\n    d_k = d_model // n_heads\n"

#: name: code, rule, corrected line, description, applicability, asserts
FIXES = {
    "transpose a weight": (
        NUMPY + "def f(x, W):\n    T_enc, d_h = x.shape\n    d_attn = W.shape[0]\n"
        "    assert W.shape == (d_attn, d_h)\n    y = x @ W\n    return y\n"
        "f(np.ones((5, 6)), np.ones((3, 6)))\n",
        "ATN102",
        "y = x @ W.T",
        "transpose W",
        "safe",
        ("assert y.shape == (T_enc, d_attn)", "assert np.allclose(y, x @ W.T)"),
    ),
    "the last two axes of three in numpy": (
        NUMPY + "q = np.ones((2, 4, 3))\nk = np.ones((2, 5, 3))\ns = q @ k\n",
        "ATN102",
        "s = q @ k.transpose(0, 2, 1)",
        "use k.transpose(0, 2, 1)",
        "safe",
        ("assert s.shape == (q.shape[0], q.shape[1], k.shape[1])",),
    ),
    "the last two axes of three in torch": (
        TORCH + "q = torch.ones((2, 4, 3))\nk = torch.ones((2, 5, 3))\ns = q @ k\n",
        "ATN102",
        "s = q @ k.transpose(-2, -1)",
        "use k.transpose(-2, -1)",
        "safe",
        ("assert s.shape == (q.shape[0], q.shape[1], k.shape[1])",),
    ),
    "a transpose too many": (
        NUMPY + "x = np.ones((5, 6))\nW = np.ones((6, 3))\ny = x @ W.T\n",
        "ATN102",
        "y = x @ W",
        "use W",
        "safe",
        ("assert y.shape == (x.shape[0], W.shape[1])",),
    ),
    "a transpose of axes too many": (
        TORCH + "q = torch.ones(2, 4, 3)\nv = torch.ones(2, 3, 5)\ny = q @ v.transpose(1, 2)\n",
        "ATN102",
        "y = q @ v",
        "use v",
        "safe",
        ("assert y.shape == (q.shape[0], q.shape[1], v.shape[2])",),
    ),
    "a call": (
        NUMPY + "x = np.ones((5, 6))\nW = np.ones((3, 6))\ny = np.matmul(x, W)\n",
        "ATN102",
        "y = np.matmul(x, W.T)",
        "transpose W",
        "safe",
        ("assert y.shape == (x.shape[0], W.shape[0])",),
    ),
    "an expression in brackets": (
        NUMPY + "x = np.ones((5, 6))\nW = np.ones((3, 6))\ny = x @ (W + 1)\n",
        "ATN102",
        "y = x @ ((W + 1).T)",
        "transpose W + 1",
        "safe",
        ("assert y.shape == (x.shape[0], W.shape[0])",),
    ),
    "a weight of an object": (
        NUMPY + "class A:\n    def __init__(self, d_h, d_attn):\n"
        "        self.W = np.ones((d_attn, d_h))\n    def __call__(self, x):\n"
        "        y = x @ self.W\n        return y\nA(6, 3)(np.ones((5, 6)))\n",
        "ATN102",
        "y = x @ self.W.T",
        "transpose self.W",
        "safe",
        ("assert y.shape == (x.shape[0], self.W.shape[0])",),
    ),
    "a returned expression": (
        NUMPY + "def f(x, W):\n    assert W.shape == (3, 6) and x.shape == (5, 6)\n"
        "    return x @ W\n",
        "ATN102",
        "return x @ W.T",
        "transpose W",
        "safe",
        ("assert (x @ W.T).shape == (x.shape[0], W.shape[0])",),
    ),
    "project the keys": (
        NUMPY + "def f(query, keys):\n    s = query @ keys.T\n    return s\n"
        "f(np.ones(3), np.ones((5, 4)))\n",
        "ATN109",
        "s = query @ (W_proj @ keys.T)",
        "project keys.T by a learned W_proj of shape (3, 4)",
        "unsafe",
        ("assert (W_proj @ keys.T).shape[0] == query.shape[0]",),
    ),
    "keepdims": (
        NUMPY + "s = np.ones((4, 5))\nw = s / s.sum(axis=1)\n",
        "ATN203",
        "w = s / s.sum(axis=1, keepdims=True)",
        "keep the reduced axis (keepdims=True)",
        "safe",
        ("assert w.shape == (s.shape[0], s.shape[1])",),
    ),
    "keepdim": (
        TORCH + "s = torch.ones(4, 5)\nw = s / s.sum(1)\n",
        "ATN203",
        "w = s / s.sum(1, keepdim=True)",
        "keep the reduced axis (keepdim=True)",
        "safe",
        ("assert w.shape == (s.shape[0], s.shape[1])",),
    ),
    "a loss": (
        TORCH + "p = torch.ones(3, 1)\nt = torch.ones(3)\nl = F.mse_loss(p, t)\n",
        "ATN204",
        "l = F.mse_loss(p.squeeze(1), t)",
        "drop axis 1, which is 1",
        "safe",
        ("assert l.shape == ()",),
    ),
    "squeeze": (
        TORCH + "def f(x):\n    B, T, d = x.shape\n    c = torch.bmm(torch.ones(B, 1, T), x)\n"
        "    y = c.squeeze()\n    return y\n",
        "ATN205",
        "y = c.squeeze(1)",
        "squeeze axis 1 only",
        "safe",
        ("assert y.shape == (B, d)",),
    ),
    "the axis of softmax": (
        TORCH + "def f(query, key, value):\n    scores = query @ key.transpose(-2, -1)\n"
        "    w = torch.softmax(scores, dim=1)\n    return w @ value\n"
        "f(torch.ones(2, 4, 3), torch.ones(2, 5, 3), torch.ones(2, 5, 6))\n",
        "ATN301",
        "w = torch.softmax(scores, dim=-1)",
        "normalise axis -1",
        "safe",
        (
            "assert w.shape == (query.shape[0], query.shape[1], key.shape[1])",
            "assert torch.allclose(w.sum(dim=-1), torch.ones(()))",
        ),
    ),
    "the axis that is contracted": (
        NUMPY + "def f(query, key, value):\n    s = query @ key.T\n    e = np.exp(s)\n"
        "    w = e / e.sum(axis=-1, keepdims=True)\n    return w.T @ value\n"
        "f(np.ones((5, 3)), np.ones((5, 3)), np.ones((5, 3)))\n",
        "ATN302",
        "return w @ value",
        "use w",
        "safe",
        ("assert (w @ value).shape == (query.shape[0], value.shape[1])",),
    ),
    "heads split in the wrong order": (
        TORCH + f"def f(x, n_heads):\n{HEADS}    y = x.view(B, n_heads, T, d_k)\n    return y\n",
        "ATN303",
        "y = x.view(B, T, n_heads, d_k).transpose(1, 2)",
        "split in the order of the elements, then transpose 1 and 2",
        "safe",
        (
            "assert y.shape == (B, n_heads, T, d_k)",
            "assert torch.equal(y, x.view(B, T, n_heads, d_k).transpose(1, 2))",
        ),
    ),
    "heads split in numpy": (
        NUMPY + f"def f(x, n_heads):\n{HEADS}    y = x.reshape(B, n_heads, T, d_k)\n    return y\n",
        "ATN303",
        "y = x.reshape(B, T, n_heads, d_k).swapaxes(1, 2)",
        "split in the order of the elements, then transpose 1 and 2",
        "safe",
        (
            "assert y.shape == (B, n_heads, T, d_k)",
            "assert np.array_equal(y, x.reshape(B, T, n_heads, d_k).swapaxes(1, 2))",
        ),
    ),
    "heads merged where they stand": (
        TORCH + f"def f(x, n_heads):\n{HEADS}"
        "    y = x.view(B, T, n_heads, d_k).transpose(1, 2)\n"
        "    z = y.reshape(B, T, d_model)\n    return z\n",
        "ATN303",
        "z = y.transpose(1, 2).reshape(B, T, d_model)",
        "transpose axes 1 and 2 before they are merged",
        "safe",
        (
            "assert z.shape == (B, T, d_model)",
            "assert torch.equal(z, y.transpose(1, 2).reshape(B, T, d_model))",
        ),
    ),
    "joined along another axis": (
        TORCH + "a, b = torch.ones(2, 3), torch.ones(2, 4)\nc = torch.cat([a, b], dim=0)\n",
        "ATN106",
        "c = torch.cat([a, b], dim=-1)",
        "join along axis -1",
        "unsafe",
        ("assert c.shape[:1] == (a.shape[0],)",),
    ),
    "another word in a pattern": (
        EINOPS + "w, v = torch.ones(4, 5), torch.ones(5, 6)\n"
        "c = einsum(w, v, 'query key, query width -> query width')\n",
        "ATN107",
        "c = einsum(w, v, 'query key, key width -> query width')",
        "write 'query key, key width -> query width'",
        "unsafe",
        ("assert c.shape == (w.shape[0], v.shape[1])",),
    ),
    "two words of a pattern exchanged": (
        EINOPS + "x, W = torch.ones(2, 5, 4), torch.ones(7, 4)\n"
        "y = einsum(x, W, 'b t feature, feature out -> b t out')\n",
        "ATN107",
        "y = einsum(x, W, 'b t feature, out feature -> b t out')",
        "write 'b t feature, out feature -> b t out'",
        "unsafe",
        ("assert y.shape == (x.shape[0], x.shape[1], W.shape[0])",),
    ),
    "a name that one side of a pattern has": (
        EINOPS + "x = torch.ones(2, 5, 4)\ny = rearrange(x, 'b n d -> b m d')\n",
        "ATN107",
        "y = rearrange(x, 'b m d -> b m d')",
        "write 'b m d -> b m d'",
        "unsafe",
        ("assert y.shape == (x.shape[0], x.shape[1], x.shape[2])",),
    ),
    "the length of a name in a pattern": (
        EINOPS + "def f():\n    heads, x = 3, torch.ones(2, 5, 12)\n"
        "    return rearrange(x, 'b t (h d) -> b h t d', h=5)\n",
        "ATN105",
        "return rearrange(x, 'b t (h d) -> b h t d', h=heads)",
        "use heads",
        "unsafe",
        ("assert (rearrange(x, 'b t (h d) -> b h t d', h=heads)).shape[:1] == (x.shape[0],)",),
    ),
    "another letter": (
        NUMPY + "w, v = np.ones((4, 5)), np.ones((5, 6))\nc = np.einsum('ts,td->td', w, v)\n",
        "ATN107",
        "c = np.einsum('ts,sd->td', w, v)",
        "write 'ts,sd->td'",
        "unsafe",
        ("assert c.shape == (w.shape[0], v.shape[1])",),
    ),
    "a size left to be inferred": (
        NUMPY + "def f(x):\n    B, T, d = x.shape\n    y = x.reshape(B, d)\n    return y\n"
        "f(np.ones((2, 3, 4)))\n",
        "ATN105",
        "y = x.reshape(B, -1)",
        "let this size follow from the others",
        "unsafe",
        ("assert y.shape == (B, T * d)",),
    ),
    "an axis for bmm": (
        TORCH + "a, b = torch.ones(2, 3), torch.ones(2, 3, 4)\nc = torch.bmm(a, b)\n",
        "ATN104",
        "c = torch.bmm(a.unsqueeze(1), b)",
        "give it an axis of 1 at 1",
        "unsafe",
        ("assert c.shape == (a.shape[0], 1, b.shape[2])",),
    ),
    "the axis of the state": (
        NUMPY + "def f(W_a, U_a, v_a, s, h):\n    ps = s @ W_a.T\n    ph = h @ U_a.T\n"
        "    e = np.tanh(ps + ph) @ v_a\n    return e\n"
        "f(np.ones((3, 4)), np.ones((3, 6)), np.ones(3), np.ones((2, 4)), np.ones((2, 5, 6)))\n",
        "ATN110",
        "e = np.tanh(ps[:, None, :] + ph) @ v_a",
        "give it an axis of 1 at 1",
        "safe",
        ("assert e.shape == (s.shape[0], h.shape[1])",),
    ),
    "an axis named in a bare squeeze": (
        TORCH + "def f(s, v):\n    e = torch.bmm(s, v).squeeze()\n"
        "    return torch.softmax(e, dim=1)\n"
        "f(torch.ones(1, 5, 4), torch.ones(1, 4, 1))\n",
        "ATN104",
        "e = torch.bmm(s, v).squeeze(2)",
        "squeeze axis 2 only",
        "unsafe",
        ("assert e.shape == (1, s.shape[1])",),
    ),
    "rows that are to be vectors": (
        TORCH + "def f(s, h):\n    e = torch.dot(s, h)\n    return e\n"
        "f(torch.ones(1, 4), torch.ones(4, 1))\n",
        "ATN104",
        "e = torch.dot(s.flatten(), h.flatten())",
        "take the vectors without axes of 1",
        "unsafe",
        ("assert e.shape == ()",),
    ),
    "scores with an axis more than their mask": (
        TORCH + "def f(h, s, pad):\n    e = torch.bmm(h, s.unsqueeze(2))\n"
        "    e = e.masked_fill(pad, -1e9)\n    return e.softmax(1).unsqueeze(1) @ h\n"
        "f(torch.ones(2, 5, 4), torch.ones(2, 4), torch.ones(2, 5) > 2)\n",
        "ATN110",
        "e = e.squeeze(-1).masked_fill(pad, -1e9)",
        "drop axis 2, which is 1",
        "unsafe",
        ("assert e.shape == (h.shape[0], h.shape[1])",),
    ),
    "a letter of its own": (
        NUMPY + "def f(q, k):\n    e = np.einsum('bthd,btd->bth', q, k)\n    return e\n"
        "f(np.ones((2, 3, 4, 5)), np.ones((2, 7, 5)))\n",
        "ATN107",
        "e = np.einsum('bthd,bsd->bths', q, k)",
        "write 'bthd,bsd->bths'",
        "unsafe",
        ("assert e.shape == (q.shape[0], q.shape[1], q.shape[2], k.shape[1])",),
    ),
    "a size by the one name that it has": (
        TORCH + "def f(scores):\n    B, new, total = scores.shape\n"
        "    future = torch.full((new, new), -1e9)\n"
        "    scores = scores + future.triu(total - new + 1)\n    return scores\n"
        "f(torch.ones(2, 3, 5))\n",
        "ATN110",
        "future = torch.full((new, total), -1e9)",
        "use total",
        "unsafe",
        ("assert future.shape == (new, total)",),
    ),
    "weights of each head": (
        TORCH + "from torch import nn\nattn = nn.MultiheadAttention(8, 2, batch_first=True)\n"
        "def f(x):\n    B, T, _ = x.shape\n    y, w = attn(x, x, x)\n"
        "    return w.view(B, 2, T, T)\nf(torch.ones(3, 5, 8))\n",
        "ATN105",
        "y, w = attn(x, x, x, average_attn_weights=False)",
        "weights of each head",
        "unsafe",
        ("assert y.shape[:2] == (B, T)", "assert w.shape[-2:] == (T, T)"),
    ),
    "the last layer's state": (
        TORCH + "from torch import nn\nrnn = nn.GRU(4, 6, 2, batch_first=True)\n"
        "out, h_n = rnn(torch.ones(3, 5, 4))\ns = torch.tanh(h_n + out)\n",
        "ATN110",
        "s = torch.tanh(h_n[-1].unsqueeze(1) + out)",
        "take the state of the last layer, as one step",
        "unsafe",
        ("assert s.shape == (out.shape[0], out.shape[1], out.shape[2])",),
    ),
}
NO_FIX = {
    "no edit makes it right": (
        NUMPY + "x = np.ones((5, 6))\nW = np.ones((3, 7))\ny = x @ W\n",
        "assert x.shape[1] == W.shape[0]",
    ),
    "over two lines": (
        NUMPY + "x = np.ones((5, 6))\nW = np.ones((3, 6))\ny = x @ (\n    W +\n    1)\n",
        "assert x.shape[1] == (W + 1).shape[0]",
    ),
}


def findings(code):
    return check_source(code.encode(), "code.py", Settings()).findings


each_fix = pytest.mark.parametrize("case", FIXES.values(), ids=FIXES)


@each_fix
def test_fix(case):
    code, rule, line, description, applicability, _ = case
    (finding,) = findings(code)
    assert finding.code == rule
    assert (finding.fix.line, finding.fix.description) == (line, description)
    assert finding.fix.applicability == applicability


@each_fix
def test_asserts(case):
    (finding,) = findings(case[0])
    assert finding.regression == case[-1]


@each_fix
def test_edits_make_the_line_and_clear_the_file(case):
    (finding,) = findings(case[0])
    patched = apply_edits(case[0].encode(), finding.fix.edits).decode()
    assert case[2] in [line.strip() for line in patched.split("\n")]
    if "W_proj" not in patched:
        assert findings(patched) == ()


@each_fix
def test_asserts_hold_once_it_is_fixed(case):
    """Stated asserts are true of the patched file, as its own trace sees it."""
    (finding,) = findings(case[0])
    patched = apply_edits(case[0].encode(), finding.fix.edits).decode().split("\n")
    at = finding.fix.edits[0].span.line
    indent = patched[at - 1][: len(patched[at - 1]) - len(patched[at - 1].lstrip())]
    if patched[at - 1].strip().startswith("return") or "W_proj" in patched[at - 1]:
        at -= 1
    asserts = [indent + text for text in finding.regression]
    code = "\n".join([*patched[:at], *asserts, *patched[at:]])
    scope = {"W_proj": np.ones((3, 4))}
    exec(compile(code, "fixed", "exec"), scope)


@pytest.mark.parametrize("code, wanted", NO_FIX.values(), ids=NO_FIX)
def test_where_no_fix_is_offered_what_the_product_needs_is_asserted(code, wanted):
    (finding,) = findings(code)
    assert (finding.fix, finding.regression) == (None, (wanted,))


def test_weights_without_a_name_are_asserted_where_the_caller_names_them():
    code = (
        NUMPY + "def softmax(x):\n    e = np.exp(x)\n    return e / e.sum(axis=1)\n"
        "def attend(query, key, value):\n    weights = softmax(query @ key.T)\n"
        "    for row in weights:\n        print(row)\n    return weights @ value\n"
        "attend(np.ones((5, 3)), np.ones((7, 3)), np.ones((7, 4)))\n"
    )
    (finding,) = findings(code)
    assert (finding.code, finding.span.line) == ("ATN203", 4)
    # The rows of the weights have a name too; that they sum to one says nothing new.
    assert finding.regression == ("assert np.allclose(weights.sum(axis=-1), 1)",)


@pytest.mark.parametrize(
    "sizes, code, line, applicability",
    [
        ("(5, 3)", "c = a + b", "c = a.T + b", "unsafe"),
        ("(3, 5)", "c = a.T + b", "c = a + b", "safe"),
    ],
)
def test_a_transpose_put_in_that_turns_the_result_wants_a_decision(
    sizes, code, line, applicability
):
    (finding,) = findings(NUMPY + f"a = np.ones({sizes})\nb = np.ones(5)\n{code}\n")
    assert (finding.code, finding.fix.line) == ("ATN110", line)
    assert finding.fix.applicability == applicability


def test_no_size_is_inferred_that_moves_elements():
    code = (
        TORCH + "def f(w, n: int):\n    B, T, _ = w.shape\n    assert w.shape == (B, T, T)\n"
        "    return w.view(B, n, T, T)\n"
        "f(torch.ones(3, 5, 5), 4)\n"
    )
    (finding,) = findings(code)
    assert (finding.code, finding.fix) == ("ATN105", None)


def test_a_method_is_given_no_weight_that_its_object_does_not_have():
    code = (
        TORCH + "class Dot(torch.nn.Module):\n    def forward(self, query, keys):\n"
        "        return torch.bmm(keys, query.unsqueeze(2)).squeeze(2)\n"
        "Dot()(torch.ones(2, 3), torch.ones(2, 5, 6))\n"
    )
    (finding,) = findings(code)
    assert (finding.code, finding.fix) == ("ATN109", None)
    assert finding.regression == ("assert keys.shape[2] == (query.unsqueeze(2)).shape[1]",)
