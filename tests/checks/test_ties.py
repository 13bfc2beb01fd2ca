"""Two axes of one unseen tensor that an operation needs to be equal; sizes that never meet."""

from types import SimpleNamespace

import pytest

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, closed
from attncheck.algebra.size import Symbol, of
from attncheck.checks.tied import Meeting, _tie
from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import nn\n"
SELF = """class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
"""
SPLIT = [f"{name} = {name}.view(B, T, self.heads, C // self.heads)" for name in "qkv"]
TURNED = [f"{line}.transpose(1, 2)" for line in SPLIT]


def findings(code):
    return check_source((HEAD + code).encode(), "x.py", Settings()).findings


def forward(*lines):
    return findings(SELF + "".join(f"        {line}\n" for line in lines))


def found(*lines):
    """(code, line) of every finding."""
    return [(each.code, each.line) for each in forward(*lines)]


TIED = [
    (("s = torch.einsum('bdi,bjd->bij', q, k)",), "ATN107", 14),
    (("s = torch.einsum('bid,bdj->bij', q, k)",), "ATN107", 14),
    ((*TURNED, "s = torch.einsum('bhid,hbjd->bhij', q, k)"), "ATN107", 17),
    ((*TURNED, "s = torch.einsum('bhdi,bhjd->bhij', q, k)"), "ATN107", 17),
    ((*TURNED[:1], SPLIT[1] + ".transpose(0, 2)", "s = q @ k.transpose(-2, -1)"), "ATN101", 16),
    (
        (
            *TURNED[::2],
            SPLIT[1] + ".transpose(0, 1)",
            "s = F.scaled_dot_product_attention(q, k, v)",
        ),
        "ATN101",
        17,
    ),
]


@pytest.mark.parametrize(("lines", "code", "line"), TIED)
def test_ties(lines, code, line):
    assert found(*lines, "return s") == [(code, line)]


def test_a_tie_is_told_in_the_sizes_of_the_tensor_as_it_is():
    (finding,) = forward("s = torch.einsum('bdi,bjd->bij', q, k)", "return s")
    assert finding.tensor is not None
    assert (finding.tensor.name, finding.tensor.shape) == ("q", ("B", "T", "dim"))
    assert finding.message.endswith("(hidden while T == dim)")
    assert finding.fix is not None
    assert finding.fix.line == "s = torch.einsum('bid,bjd->bij', q, k)"


RIGHT = [
    ("s = torch.einsum('bid,bjd->bij', q, k)",),
    ("s = torch.einsum('bti,btj->bij', q, k)",),
    (*TURNED, "s = torch.einsum('bhid,bhjd->bhij', q, k)"),
    (*TURNED, "s = F.scaled_dot_product_attention(q, k, v)"),
    (*SPLIT, "s = torch.einsum('bihd,bjhd->bhij', q, k)"),
    (*TURNED, "s = torch.einsum('bhid,bhjd->bhij', [q, k])"),
]


@pytest.mark.parametrize("lines", RIGHT)
def test_right_products(lines):
    assert found(*lines, "return s") == []


SQUARE = [
    "def f(x, M):\n    return torch.einsum('ij,jk->ik', x @ M, M)\n",
    "def f(a):\n    return torch.einsum('bij,bjk->bik', a, a)\n",
    "def f(a):\n    return torch.einsum('ij,ji->', a, a)\n",
    "def f(a, x, dim: int):\n    y = nn.Linear(dim, dim)(x)\n"
    "    return torch.einsum('bij,bjd->bid', a, y)\n",
]


@pytest.mark.parametrize("code", SQUARE)
def test_matrices_that_may_be_square(code):
    assert findings(code) == ()


NEVER = [
    (("q = q.view(B, T, self.heads * 2, C // self.heads)", "return q"), "ATN108"),
    (
        (
            *TURNED,
            "w = (q @ k.transpose(-2, -1)).softmax(-1)",
            "return w.view(B, 2 * self.heads, T, T)",
        ),
        "ATN105",
    ),
]


@pytest.mark.parametrize(("lines", "code"), NEVER)
def test_multiples_have_other_counts(lines, code):
    assert [each for each, _ in found(*lines)] == [code]


PARTS = """class Heads(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.width = size // heads{more}
        self.inner = nn.Linear(size, heads * self.width)
        self.outer = nn.Linear(size, size)

    def forward(self, x):
        return self.outer(torch.relu(self.inner(x)))
"""


def test_parts_that_are_too_large():
    (finding,) = findings(PARTS.replace("{more}", " + 1"))
    assert (finding.code, finding.severity) == ("ATN103", "error")
    assert all(each.severity == "note" for each in findings(PARTS.replace("{more}", "")))


MIXED = """class Merge(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.width, self.heads = width, heads
        self.inner, self.outer = nn.Linear(width, width), nn.Linear(width, width)

    def forward(self, x):
        count, length, _ = x.shape
        x = self.inner(x).view(count, length, self.heads, self.width // self.heads)
        x = x.contiguous().view(count, self.width, length)
        return self.outer(x)
"""


def test_a_view_whose_pieces_all_stay_where_they_are():
    # The layer makes the length the width: read so, no piece has moved, and no transpose mends it.
    assert [(each.code, each.line) for each in findings(MIXED)] == [("ATN303", 13), ("ATN103", 14)]


CACHED = """class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.q, self.k = nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x: torch.Tensor, cache=None):
        B, T, C = x.shape
        q, k = self.q(x), self.k(x)
        if cache is not None:
            k = cache.update(k)
        return q @ k{turned}
"""


def test_keys_that_may_come_from_a_cache():
    right = findings(CACHED.replace("{turned}", ".transpose(1, 2)"))
    assert [each.code for each in right] == []


@pytest.mark.parametrize(
    ("kind", "is_tied"), [({"flexible": True}, True), ({"found": True}, False)]
)
def test_a_size_that_only_got_its_variables_name_may_be_any(kind, is_tied):
    batch, steps, last = of(Symbol("B")), of(Symbol("T")), of(Symbol("s", **kind))
    shape = closed([Axis(size) for size in (batch, steps, last)])
    meeting = Meeting((Axis(last), Axis(steps)), (0, 1), (-1, -2))
    view = SimpleNamespace(facts=Facts())
    found = _tie(meeting, [meeting, meeting.turned()], [shape, shape], view)
    assert (found is not None) is is_tied


def test_letters_behind_an_ellipsis_are_those_of_the_last_axes():
    code = (
        "def scores(query, key):\n"
        "    assert query.shape[-2] == key.shape[-2]\n"
        "    assert query.shape[-1] == key.shape[-1]\n"
        "    depth = query.shape[-1]\n"
        "    query = query / depth**0.5\n"
        "    return torch.einsum('...qhd,...k{}->...hqk', query, key)\n"
    )
    assert findings(code.format("hd")) == ()
    (found,) = findings(code.format("dh"))
    assert (found.code, found.line) == ("ATN107", 9)


STATE = """\
import torch
from torch import nn

class Recurrent(nn.Module):
    def __init__(self, heads, width):
        super().__init__()
        self.heads, self.width = heads, width
        self.to_q = nn.Linear(heads * width, heads * width)
        self.to_v = nn.Linear(heads * width, heads * width)

    def forward(self, x, key):
        b, t, _ = x.shape
        q = self.to_q(x).view(b, t, self.heads, self.width).transpose(1, 2)
        v = self.to_v(x).view(b, t, self.heads, self.width).transpose(1, 2)
        _, _, _, d_key = key.shape
        {state}
        return q @ state
"""


@pytest.mark.parametrize(
    ("state", "codes"),
    [
        # Whoever writes the axes down one by one has them in this order.
        ("state = torch.zeros(b, self.heads, d_key, self.width)", []),
        ("state = key.transpose(2, 3) @ v", []),
    ],
)
def test_axes_that_are_written_down_stand_in_their_order(state, codes):
    source = STATE.format(state=state).encode()
    found = check_source(source, "x.py", Settings()).findings
    assert [finding.code for finding in found] == codes


PROSE = '''\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, size, heads):
        super().__init__()
        self.heads, self.d = heads, size // heads
        self.q, self.k = nn.Linear(size, size), nn.Linear(size, size)

    def forward(self, q: torch.Tensor, k: torch.Tensor):
        """Score.

        :param q: queries [batch, length, size]
        :param k: keys [batch, length, size]
        """
        b = q.size(0)
        queries = self.q(q).view(b, -1, self.heads, self.d).transpose(1, 2)
        keys = self.k(k).view(b, -1, self.heads, self.d).transpose(1, 2)
        return queries @ keys.transpose({axes})
'''


@pytest.mark.parametrize(("axes", "codes"), [("1, 3", ["ATN101"]), ("2, 3", [])])
def test_names_that_prose_has_for_positions_are_no_features(axes, codes):
    code = PROSE.format(axes=axes).encode()
    found = check_source(code, "x.py", Settings()).findings
    assert [each.code for each in found if each.severity != "note"] == codes
