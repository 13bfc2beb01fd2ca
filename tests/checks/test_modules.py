"""Mistakes in modules: which rule tells them, where, of which tensor, and the fix and assert.

Each program is wrong in one place. With the fix that is offered it has no error or warning, and
runs.
"""

from dataclasses import dataclass

import pytest

from attncheck.edits import apply_edits
from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n\n\n"


@dataclass(frozen=True, slots=True)
class Case:
    """A module's ``__init__`` and ``forward``, the line that is wrong, and what is said of it."""

    init: str
    forward: str
    use: str
    code: str
    line: str
    tensor: tuple[str, tuple]
    expected: tuple | None
    fix: str
    asserts: tuple[str, ...]
    says: str = ""

    @property
    def source(self):
        arguments, *body = self.init.strip().split("\n")
        parameters, *steps = self.forward.strip().split("\n")
        lines = [
            "class Module(nn.Module):",
            f"    def __init__(self, {arguments}):",
            "        super().__init__()",
            *(f"        {line.strip()}" for line in body),
            f"    def forward(self, {parameters}):",
            *(f"        {line.strip()}" for line in steps),
        ]
        return HEAD + "\n".join(lines) + "\n"


CASES = {
    "one of three projections takes another size": Case(
        "d_model, d_k\nself.q = nn.Linear(d_model, d_k)\nself.k = nn.Linear(d_k, d_k)\n"
        "self.v = nn.Linear(d_model, d_k)",
        "x\nq, k, v = self.q(x), self.k(x), self.v(x)\n"
        "return torch.softmax(q @ k.transpose(-2, -1), -1) @ v",
        "Module(8, 4)(torch.ones(2, 5, 8))",
        "ATN103",
        "self.k = nn.Linear(d_k, d_k)",
        ("self.k.weight", ("d_k", "d_k")),
        ("d_k", "d_model"),
        "self.k = nn.Linear(d_model, d_k)",
        ("assert self.k.in_features == d_model",),
        "the constructor is to blame: `self.q` and `self.v` take d_model of the same input",
    ),
    "the first of three projections takes another size": Case(
        "d_model, d_k\nself.q = nn.Linear(d_k, d_k)\nself.k = nn.Linear(d_model, d_k)\n"
        "self.v = nn.Linear(d_model, d_k)",
        "x\nq, k, v = self.q(x), self.k(x), self.v(x)\n"
        "return torch.softmax(q @ k.transpose(-2, -1), -1) @ v",
        "Module(8, 4)(torch.ones(2, 5, 8))",
        "ATN103",
        "self.q = nn.Linear(d_k, d_k)",
        ("self.q.weight", ("d_k", "d_k")),
        ("d_k", "d_model"),
        "self.q = nn.Linear(d_model, d_k)",
        ("assert self.q.in_features == d_model",),
        "the constructor is to blame: `self.k` and `self.v` take d_model of the same input",
    ),
    "a layer after a table that was made of given vectors": Case(
        "vectors: torch.Tensor, out\nrows, width = vectors.shape\n"
        "self.table = nn.Embedding.from_pretrained(vectors, freeze=False)\n"
        "self.project = nn.Linear(2 * width, out)",
        "tokens\nreturn self.project(self.table(tokens))",
        "Module(torch.zeros(7, 5), 3)(torch.ones(2, 4).long())",
        "ATN103",
        "self.project = nn.Linear(2 * width, out)",
        ("self.project.weight", ("out", "2*width")),
        ("out", "width"),
        "self.project = nn.Linear(width, out)",
        ("assert self.project.in_features == width",),
        "is made for 2*width features, line 11, but is given width: `self.table(tokens)`, line 13",
    ),
    "a layer after one that widens": Case(
        "hidden, out\nself.up = nn.Linear(hidden, 3 * hidden)\nself.down = nn.Linear(hidden, out)",
        "x\nh = torch.relu(self.up(x))\nreturn self.down(h)",
        "Module(4, 5)(torch.ones(2, 4))",
        "ATN103",
        "self.down = nn.Linear(hidden, out)",
        ("self.down.weight", ("out", "hidden")),
        ("out", "3*hidden"),
        "self.down = nn.Linear(3 * hidden, out)",
        ("assert self.down.in_features == 3 * hidden",),
        "the constructor is to blame: nothing wants `h` to be hidden",
    ),
    "a layer inside a chain": Case(
        "d_model\nself.mlp = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.GELU(),"
        " nn.Linear(d_model, d_model))",
        "x\nreturn self.mlp(x)",
        "Module(4)(torch.ones(2, 4))",
        "ATN103",
        "self.mlp = nn.Sequential(",
        (None, None),
        None,
        "self.mlp = nn.Sequential(nn.Linear(d_model, 2 * d_model), nn.GELU(),"
        " nn.Linear(2 * d_model, d_model))",
        (),
        "but `nn.Linear(d_model, 2 * d_model)` before it gives 2*d_model",
    ),
    "two layers made alike, the second the wrong way round": Case(
        "dim, mult=4\nself.up = nn.Linear(dim, mult * dim)\nself.down = nn.Linear(dim, mult * dim)",
        "x\nh = torch.relu(self.up(x))\nreturn x + self.down(h)",
        "Module(3)(torch.ones(2, 3))",
        "ATN103",
        "self.down = nn.Linear(dim, mult * dim)",
        ("self.down.weight", (12, 3)),
        (12, 12),
        "self.down = nn.Linear(mult * dim, dim)",
        ("assert self.down.in_features == mult * dim",),
    ),
    "all heads into a layer for one": Case(
        "dim, n_heads\nself.n_heads, self.d = n_heads, dim // n_heads\n"
        "self.out = nn.Linear(self.d, dim)",
        "x\nB, T, C = x.shape\nh = x.view(B, T, self.n_heads, self.d).transpose(1, 2)\n"
        "y = h.transpose(1, 2).reshape(B, T, -1)\nreturn self.out(y)",
        "Module(12, 3)(torch.ones(2, 5, 12))",
        "ATN103",
        "self.out = nn.Linear(self.d, dim)",
        ("self.out.weight", ("dim", "dim//n_heads")),
        ("dim", "dim"),
        "self.out = nn.Linear(dim, dim)",
        ("assert self.out.in_features == dim",),
        "(hidden while n_heads == 1)",
    ),
    "heads that are not merged": Case(
        "dim, n_heads\nself.n_heads, self.d = n_heads, dim // n_heads\n"
        "self.out = nn.Linear(dim, dim)",
        "x\nB, T, C = x.shape\nh = self.out(x).view(B, T, self.n_heads, self.d)\n"
        "return self.out(h)",
        "Module(12, 3)(torch.ones(2, 5, 12))",
        "ATN103",
        "return self.out(h)",
        ("h", ("B", "T", "n_heads", "dim//n_heads")),
        ("B", "T", "n_heads", "dim"),
        "return self.out(h.flatten(2))",
        ("assert (self.out(h.flatten(2))).shape == (B, T, C)",),
        "the call is to blame",
    ),
    "a layer on the axis of positions": Case(
        "dim\nself.norm = nn.LayerNorm(dim)\nself.proj = nn.Linear(dim, dim)",
        "x\nB, T, C = x.shape\ny = self.norm(x).transpose(1, 2)\nreturn self.proj(y)",
        "Module(4)(torch.ones(2, 5, 4))",
        "ATN103",
        "return self.proj(y)",
        ("y", ("B", "dim", "T")),
        ("B", "dim", "dim"),
        "return self.proj(y.transpose(1, 2))",
        ("assert (self.proj(y.transpose(1, 2))).shape == (B, T, C)",),
        "the call is to blame: axis 1 of `y` is dim (hidden while T == dim)",
    ),
    "a parameter nobody uses": Case(
        "d_s, d_h, d_attn\nself.W_a = nn.Linear(d_s, d_attn)\nself.U_a = nn.Linear(d_h, d_attn)",
        "s, h\nreturn torch.tanh(self.W_a(s) + self.U_a(s))",
        "Module(3, 4, 5)(torch.ones(2, 3), torch.ones(2, 4))",
        "ATN103",
        "return torch.tanh(self.W_a(s) + self.U_a(s))",
        ("s", None),
        None,
        "return torch.tanh(self.W_a(s) + self.U_a(h))",
        ("assert (torch.tanh(self.W_a(s) + self.U_a(h))).shape[:1] == (s.shape[0],)",),
        "the call is to blame: `h` is not used",
    ),
    "a width where one head's belongs": Case(
        "d_model, n_heads\nself.n_heads, self.d_model = n_heads, d_model\n"
        "self.d_k = d_model // n_heads\nself.q = nn.Linear(d_model, d_model)",
        "x\nB, T, _ = x.shape\nq = self.q(x).view(B, T, self.n_heads, self.d_model)\nreturn q",
        "Module(12, 3)(torch.ones(2, 5, 12))",
        "ATN108",
        "q = self.q(x).view(B, T, self.n_heads, self.d_model)",
        ("self.q(x)", ("B", "T", "d_model")),
        ("B", "T", "n_heads*d_model"),
        "q = self.q(x).view(B, T, self.n_heads, self.d_k)",
        ("assert q.shape == (B, T, self.n_heads, self.d_k)",),
    ),
    "keys projected for all heads": Case(
        "dim, n_heads, n_kv_heads\nself.n_kv_heads, self.d = n_kv_heads, dim // n_heads\n"
        "self.k = nn.Linear(dim, dim)\nself.v = nn.Linear(dim, n_kv_heads * self.d)",
        "x\nB, T, _ = x.shape\nk = self.k(x).view(B, T, self.n_kv_heads, self.d)\n"
        "v = self.v(x).view(B, T, self.n_kv_heads, self.d)\nreturn k + v",
        "Module(12, 6, 2)(torch.ones(2, 5, 12))",
        "ATN108",
        "k = self.k(x).view(B, T, self.n_kv_heads, self.d)",
        ("self.k(x)", (2, 5, 12)),
        (2, 5, "2*(12//n_heads)"),
        "self.k = nn.Linear(dim, n_kv_heads * self.d)",
        (),
    ),
    "keys of another size than the query": Case(
        "dim, d_key, d_value\nself.q = nn.Linear(dim, d_key)\nself.k = nn.Linear(dim, d_value)\n"
        "self.v = nn.Linear(dim, d_value)",
        "x\nq, k, v = self.q(x), self.k(x), self.v(x)\n"
        "w = torch.softmax(q @ k.transpose(-2, -1), dim=-1)\nreturn w @ v",
        "Module(8, 4, 6)(torch.ones(2, 5, 8))",
        "ATN109",
        "w = torch.softmax(q @ k.transpose(-2, -1), dim=-1)",
        ("k", (2, 5, 6)),
        (2, 5, 4),
        "self.k = nn.Linear(dim, d_key)",
        ("assert q.shape[2] == k.shape[2]",),
    ),
    "keys that are not transposed": Case(
        "dim, n_heads\nself.h, self.d = n_heads, dim // n_heads\nself.q = nn.Linear(dim, dim)\n"
        "self.k = nn.Linear(dim, dim)",
        "x, mem\nB, T, _ = x.shape\nS = mem.shape[1]\n"
        "q = self.q(x).view(B, T, self.h, self.d).transpose(1, 2)\n"
        "k = self.k(mem).view(B, S, self.h, self.d).transpose(1, 2)\nscores = q @ k\n"
        "return torch.softmax(scores, dim=-1)",
        "Module(12, 3)(torch.ones(2, 5, 12), torch.ones(2, 7, 12))",
        "ATN102",
        "scores = q @ k",
        ("k", ("B", "n_heads", "S", "dim//n_heads")),
        ("B", "n_heads", "dim//n_heads", "S"),
        "scores = q @ k.transpose(-2, -1)",
        ("assert scores.shape == (B, self.h, T, S)",),
        "contracts dim//n_heads with S (hidden while S == dim//n_heads)",
    ),
    "a parameter the wrong way round": Case(
        "d_s, d_h\nself.W = nn.Parameter(torch.ones(d_h, d_s))",
        "s\nq = s @ self.W\nreturn q",
        "Module(6, 4)(torch.ones(2, 6))",
        "ATN102",
        "q = s @ self.W",
        ("self.W", ("d_h", "d_s")),
        ("d_s", "d_h"),
        "q = s @ self.W.T",
        ("assert q.shape == (s.shape[0], self.W.shape[0])",),
    ),
    "a parameter the wrong way round for linear": Case(
        "d_in, d_out\nself.W = nn.Parameter(torch.ones(d_in, d_out))",
        "x\ny = F.linear(x, self.W)\nreturn y",
        "Module(4, 6)(torch.ones(2, 4))",
        "ATN102",
        "y = F.linear(x, self.W)",
        ("self.W", (4, 6)),
        (6, 4),
        "y = F.linear(x, self.W.T)",
        ("assert y.shape == (x.shape[0], self.W.shape[1])",),
    ),
    "heads merged to the width of the input": Case(
        "in_width, att_width, n_heads\nself.n_heads, self.att_width = n_heads, att_width\n"
        "self.v = nn.Linear(in_width, att_width)\nself.o = nn.Linear(att_width, att_width)",
        "x\nB, T, width = x.shape\nd = self.att_width // self.n_heads\n"
        "v = self.v(x).view(B, T, self.n_heads, d)\ny = v.reshape(B, T, width)\nreturn self.o(y)",
        "Module(4, 6, 3)(torch.ones(2, 5, 4))",
        "ATN105",
        "y = v.reshape(B, T, width)",
        ("v", ("B", "T", "n_heads", "att_width//n_heads")),
        ("B", "T", "att_width"),
        "y = v.reshape(B, T, self.att_width)",
        (
            "assert y.shape == (B, T, self.att_width)",
            "assert torch.equal(y, v.reshape(B, T, self.att_width))",
        ),
        "(hidden while att_width == in_width)",
    ),
    "keys of another size for a library's attention": Case(
        "dim, d_key, d_value\nself.q = nn.Linear(dim, d_key)\nself.k = nn.Linear(dim, d_value)",
        "x\nq, k = self.q(x), self.k(x)\ny = F.scaled_dot_product_attention(q, k, k)\nreturn y",
        "Module(8, 4, 6)(torch.ones(2, 5, 8))",
        "ATN109",
        "y = F.scaled_dot_product_attention(q, k, k)",
        ("k", (2, 5, 6)),
        (2, 5, 4),
        "self.k = nn.Linear(dim, d_key)",
        ("assert q.shape[-1] == k.shape[-1]",),
    ),
    "numbers without an axis of their own, as the caller has them": Case(
        "d_h, d_attn\nself.w_h = nn.Linear(d_h, d_attn)\nself.w_c = nn.Linear(1, d_attn)",
        "h, coverage\ne = torch.tanh(self.w_h(h) + self.w_c(coverage))\nreturn e.sum(2) + coverage",
        "Module(6, 4)(torch.ones(2, 5, 6), torch.zeros(2, 5))",
        "ATN103",
        "e = torch.tanh(self.w_h(h) + self.w_c(coverage))",
        ("coverage", (2, 5)),
        (2, 5, 1),
        "e = torch.tanh(self.w_h(h) + self.w_c(coverage.unsqueeze(2)))",
        ("assert e.shape[:2] == (h.shape[0], h.shape[1])",),
        "the call is to blame: each number of `coverage` is a feature by itself",
    ),
    "inputs joined along the batch": Case(
        "d\nself.rnn = nn.GRU(d, d)\nself.mix = nn.Linear(2 * d, d)",
        "x, context\noutput, _ = self.rnn(x)\noutput = output.squeeze(0)\n"
        "both = torch.cat((output, context), 0)\nreturn self.mix(both)",
        "Module(4)(torch.ones(1, 3, 4), torch.ones(3, 4))",
        "ATN106",
        "both = torch.cat((output, context), 0)",
        ("both", (6, 4)),
        (3, 8),
        "both = torch.cat((output, context), -1)",
        ("assert both.shape[:1] == (x.shape[1],)",),
        "joins along axis 0 what `self.mix`, line 10, takes side by side: it is made for 8",
    ),
    "weights that meet the positions and the features": Case(
        "d_model\nself.v = nn.Linear(d_model, 1)",
        "x\nB, T, C = x.shape\nw = torch.softmax(self.v(x).squeeze(-1), -1)\ny = w * x\n"
        "return y.sum(1)",
        "Module(4)(torch.ones(2, 5, 4))",
        "ATN202",
        "y = w * x",
        ("w", ("B", "T")),
        ("B", "T", 1),
        "y = w.unsqueeze(2) * x",
        ("assert y.shape == (B, T, C)",),
        "lines up (B, T) with (B, T, d_model) by position, not by meaning",
    ),
}
each_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def alarms(text):
    found = check_source(text.encode(), "code.py", Settings()).findings
    return [each for each in found if each.severity != "note"]


def program(case):
    return f"{case.source}\n\n{case.use}\n"


def only(case):
    found = alarms(program(case))
    assert len(found) == 1, [(each.line, each.code, each.message) for each in found]
    return found[0]


@each_case
def test_rule_and_place(case):
    finding = only(case)
    line = program(case).split("\n")[finding.line - 1].strip()
    assert finding.code == case.code
    assert line.startswith(case.line)
    assert case.says in finding.message


@each_case
def test_tensor_and_what_it_should_be(case):
    finding = only(case)
    name, shape = case.tensor
    assert (finding.tensor and finding.tensor.name) == name
    assert (finding.tensor and finding.tensor.shape) == shape
    assert finding.expected.shape == case.expected


@each_case
def test_fix_and_assert(case):
    finding = only(case)
    assert finding.fix.line == case.fix
    assert finding.regression == case.asserts


@each_case
def test_the_fix_makes_it_right(case):
    torch = pytest.importorskip("torch")
    with pytest.raises(RuntimeError):
        exec(compile(program(case), "wrong.py", "exec"), {"torch": torch})
    fixed = apply_edits(program(case).encode(), only(case).fix.edits).decode()
    assert alarms(fixed) == []
    exec(compile(fixed, "fixed.py", "exec"), {"torch": torch})


def test_a_call_that_gives_a_right_class_the_wrong_input_is_told_at_the_call():
    text = HEAD + (
        "class Net(nn.Module):\n    def __init__(self, d_in):\n        super().__init__()\n"
        "        self.fc = nn.Linear(d_in, 8)\n    def forward(self, x):\n"
        "        return self.fc(x)\n\n\nnet = Net(10)\ny = net(torch.ones(4, 12))\n"
    )
    (finding,) = alarms(text)
    assert (finding.code, finding.function) == ("ATN103", "")
    assert text.split("\n")[finding.line - 1] == "y = net(torch.ones(4, 12))"
    assert "`net(torch.ones(4, 12))` is to blame" in finding.message
    assert finding.tensor.shape == (4, 12)


SILENT = {
    "an axis that nobody names may be one, and is only merged away": (
        "rank, d\nself.d = d\nself.proj = nn.Linear(rank, 4 * d)",
        "kv\nb, _, t, _ = kv.shape\nreturn self.proj(kv).view(b, t, -1, self.d)",
    ),
    "a table may be made of vectors in two ways": (
        "vectors, words, d\nself.a = nn.Embedding.from_pretrained(vectors)\n"
        "self.b = nn.Embedding(words, d) if vectors is None else self.a\n"
        "self.c = nn.Linear(vectors.size(1), 3)\nself.d = nn.Linear(self.a.embedding_dim, 3)",
        "tokens\nx = self.a(tokens)\nreturn self.c(x) + self.d(x), self.b(tokens)",
    ),
    "items of what may be a list have sizes of their own": (
        "dim\nself.a = nn.Linear(dim, 3)\nself.b = nn.Linear(2 * dim, 3)",
        "xs\nreturn self.a(xs[0]) + self.b(xs[1])",
    ),
    "an axis counted from the front may be the last one": (
        "d_a, d_b\nself.both = nn.Linear(d_a + d_b, 3)\nself.a = nn.Linear(d_a, 3)",
        "a, b\nboth = torch.cat((a, b), dim=1)\nreturn self.both(both) + self.a(a)",
    ),
    "a learned table has no order to lose": (
        "n_heads, d\nself.h, self.d = n_heads, d\nself.u = nn.Parameter(torch.ones(d, n_heads))",
        "x\nreturn x + self.u.view(1, 1, self.h, self.d)",
    ),
    "two arguments may be one size": (
        "hidden, features\nself.a = nn.Linear(hidden, hidden)\nself.b = nn.Linear(features, 3)",
        "x\nreturn self.b(self.a(x))",
    ),
}


@pytest.mark.parametrize("parts", SILENT.values(), ids=SILENT)
def test_silent(parts):
    init, forward = parts
    case = Case(init, forward, "", "", "", (None, None), None, "", ())
    assert alarms(case.source) == []


def notes(init, forward):
    case = Case(init, forward, "", "", "", (None, None), None, "", ())
    found = check_source(case.source.encode(), "code.py", Settings()).findings
    return [each.message for each in found if each.code == "ATN602"]


CHAINED = "x\ny = self.a(x)\nz = self.b(y)\nreturn self.b(torch.relu(y)) + z"
LAYERS = "self.a = nn.Linear(hidden, hidden)\nself.b = nn.Linear(size, hidden)"


def test_one_note_a_class_names_every_line_that_needs_two_sizes_to_be_equal():
    (message,) = notes(f"hidden, size\n{LAYERS}", CHAINED)
    assert message == (
        "`Module` is right only if hidden == size, which nothing checks: `self.b(y)`, line 13"
    )


def test_what_two_sides_share_is_left_out_of_the_note():
    (message,) = notes(
        "left, right, out\nself.a = nn.Linear(left, out)\nself.b = nn.Linear(right + left, out)",
        "x, y\nreturn self.b(torch.cat([self.a(x), x], dim=-1))",
    )
    assert "`Module` is right only if out == right, which nothing checks" in message


@pytest.mark.parametrize(
    "init",
    [
        f"hidden=4, size=4\n{LAYERS}",
        f"hidden, size\nassert hidden == size\n{LAYERS}",
        f"hidden, size\nassert size == hidden, 'equal'\n{LAYERS}",
        LAYERS.replace("hidden", "size").replace("self.a", "size\nself.a", 1),
    ],
)
def test_no_note_where_sizes_are_equal_or_checked(init):
    assert notes(init, CHAINED) == []


@pytest.mark.parametrize("count", ["arange(0, hidden, 2)", "arange(0, hidden, 2.0)"])
def test_no_note_where_one_argument_has_to_be_even(count):
    init = "hidden\nself.hidden = hidden\nself.a = nn.Linear(hidden, hidden)"
    forward = f"x\nf = torch.{count.replace('hidden', 'self.hidden')}\n"
    forward += "angles = torch.arange(7)[:, None] * f\n"
    forward += "return self.a(torch.cat([angles.sin(), angles.cos()], dim=-1))"
    assert notes(init, forward) == []


@pytest.mark.parametrize(
    ("given", "fixes"),
    [
        ("hidden", ["return self.fc(hidden[0])"]),
        ("self.lstm(x)", [None]),
        ("hidden[0]", []),
        ("out", []),
    ],
)
def test_a_pair_where_a_layer_takes_a_tensor(given, fixes):
    text = HEAD + (
        "class Net(nn.Module):\n    def __init__(self, n, d):\n        super().__init__()\n"
        "        self.lstm, self.fc = nn.LSTM(n, d), nn.Linear(d, 2)\n    def forward(self, x):\n"
        f"        out, hidden = self.lstm(x)\n        return self.fc({given})\n"
    )
    found = [(each.code, each.fix and each.fix.line) for each in alarms(text)]
    assert found == [("ATN104", fix) for fix in fixes]


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        ("x + self.attn(x, x, x)", [("ATN104", "return x + self.attn(x, x, x)[0]")]),
        ("x + self.attn(x, x, x)[0]", []),
        ("(x,) + self.attn(x, x, x)", []),
    ],
)
def test_a_pair_that_is_added_to_a_tensor(returned, expected):
    text = HEAD + (
        "class Net(nn.Module):\n    def __init__(self, d, h):\n        super().__init__()\n"
        "        self.attn = nn.MultiheadAttention(d, h, batch_first=True)\n"
        f"    def forward(self, x):\n        b, t, d = x.shape\n        return {returned}\n"
    )
    assert [(each.code, each.fix and each.fix.line) for each in alarms(text)] == expected
