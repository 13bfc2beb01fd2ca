"""Tables of positions on a wrong axis, however they are made and wherever they are cut."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import math
import torch
import torch.nn.functional as F
from torch import nn

"""
TABLES = """class Positions(nn.Module):
    def __init__(self, d_model, max_len=512):
        super().__init__()
        rates = torch.exp(torch.arange(0, d_model, 2) * (-math.log(10000.0) / d_model))
        angle = torch.arange(max_len).unsqueeze(1) * rates
        sines = torch.zeros(max_len, d_model)
        sines[:, 0::2], sines[:, 1::2] = torch.sin(angle), torch.cos(angle)
        self.register_buffer("sines", sines)
        self.learned = nn.Parameter(torch.zeros(1, max_len, d_model))
        self.early = nn.Parameter(torch.zeros(max_len, 1, d_model))
        self.embed = nn.Embedding(max_len, d_model)

    def forward(self, x):
        {sizes} = x.shape
        return x + {table}
"""
HEADS = """class Attention(nn.Module):
    def __init__(self, d_model, n_heads):
        super().__init__()
        self.n_heads, self.d_k = n_heads, d_model // n_heads
        self.qkv = nn.Linear(d_model, 3 * d_model)

    def turn(self, x):
        rates = 10000 ** (-torch.arange(0, self.d_k, 2).float() / self.d_k)
        angle = torch.outer(torch.arange(x.shape[-2]).float(), rates).repeat(1, 2)
        a, b = x.chunk(2, dim=-1)
        return x * angle.cos() + torch.cat([-b, a], dim=-1) * angle.sin()

    def forward(self, x):
        B, T, d_model = x.shape
        q, k, v = self.qkv(x).view(B, T, 3, self.n_heads, self.d_k).unbind(2)
        {turned}
        out = {attention}
        return out.transpose(1, 2).reshape(B, T, d_model)
"""
LIBRARY = "F.scaled_dot_product_attention(q, k, v)"
BY_HAND = "(q @ k.transpose(-2, -1) * self.d_k ** -0.5).softmax(-1) @ v"


def findings(code):
    result = check_source((HEAD + code).encode(), "positions.py", Settings())
    return [each for each in result.findings if each.code == "ATN306"]


def added(table, sizes="B, T, d"):
    return findings(TABLES.format(table=table, sizes=sizes))


@pytest.mark.parametrize(
    "table, right",
    [
        ("self.learned[:, :B]", "self.learned[:, :T]"),
        ("self.learned[:, : x.size(0)]", "self.learned[:, : x.size(1)]"),
        ("self.learned[:, :x.shape[0], :]", "self.learned[:, :x.shape[1], :]"),
        ("self.sines[:B]", "self.sines[:T]"),
        ("self.embed(torch.arange(B))", "self.embed(torch.arange(T))"),
        ("self.embed(torch.arange(B, device=x.device))[None]", None),
    ],
)
def test_counted_over_the_batch(table, right):
    (found,) = added(table)
    assert found.severity == "error"
    assert "counts positions over axis 0" in found.message
    assert found.message.endswith("(hidden while B == T)")
    if right is not None:
        assert found.fix.line == f"return x + {right}"


def test_counted_over_the_batch_where_time_is_first():
    (found,) = added("self.early[:B]", sizes="T, B, d")
    assert found.fix.line == "return x + self.early[:T]"


@pytest.mark.parametrize("table", ["self.sines[T]", "self.learned[:, T]", "self.learned[:, T, :]"])
def test_one_row_for_all_positions(table):
    (found,) = added(table)
    assert "every position gets the same vector" in found.message
    assert ":T" in found.fix.line


@pytest.mark.parametrize("attention", [LIBRARY, BY_HAND])
def test_turned_along_the_heads(attention):
    turned = "q = self.turn(q).transpose(1, 2)\n        k = self.turn(k).transpose(1, 2)"
    turned += "\n        v = v.transpose(1, 2)"
    first, second = findings(HEADS.format(turned=turned, attention=attention))
    assert first.fix.line == "q = self.turn(q.transpose(1, 2))"
    assert second.fix.line == "k = self.turn(k.transpose(1, 2))"


@pytest.mark.parametrize(
    "table, sizes",
    [
        ("self.learned[:, :T]", "B, T, d"),
        ("self.sines[:T]", "B, T, d"),
        ("self.early[:T]", "T, B, d"),
        ("self.embed(torch.arange(T))", "B, T, d"),
        ("self.learned[:, 1 : T + 1]", "B, T, d"),
        ("self.learned[:, 0]", "B, T, d"),
        ("self.learned", "B, T, d"),
        ("self.embed(torch.arange(B)).unsqueeze(1)", "B, T, d"),
        ("torch.zeros(B, 1, 1).expand(-1, T, -1)", "B, T, d"),
    ],
)
def test_tables_along_time_are_right(table, sizes):
    assert added(table, sizes) == []


@pytest.mark.parametrize("attention", [LIBRARY, BY_HAND])
def test_heads_in_front_of_time_are_right(attention):
    turned = "q, k, v = (each.transpose(1, 2) for each in (q, k, v))"
    turned += "\n        q, k = self.turn(q), self.turn(k)"
    assert findings(HEADS.format(turned=turned, attention=attention)) == []


LAZY = """\
import torch
from torch import nn


class Text(nn.Module):
    def __init__(self, length, causal, first):
        super().__init__()
        self.first = first
        self.register_buffer("bias", torch.zeros(length, length).fill_(-1e9).triu_(1))
        if causal:
            self.mask = torch.zeros(length, length).fill_(-1e9).triu_(1)

    def forward(self, text, token=None):
        b, n = text.shape
        valid = text != 0
        if token is not None:
            n += 1
            one = valid.new_ones(b, 1)
            valid = torch.cat([one, valid] if self.first else [valid, one], 1)
        hidden = torch.zeros(b, n, valid.shape[1]).masked_fill(~valid.unsqueeze(1), -1e9)
        return self.mask[:n, :n].unsqueeze(0) + hidden
"""


def test_a_table_against_what_a_branch_may_have_made_longer_is_left_alone():
    assert check_source(LAZY.encode(), "x.py", Settings()).findings == ()


WITHIN = """
import torch
from torch import nn

class Table(nn.Module):
    def __init__(self, longest, d):
        super().__init__()
        angles = torch.arange(longest)[:, None] * torch.arange(d)
        self.table = torch.sin(angles){laid}

    def forward(self, x):
        return x + {cut}

class Encoder(nn.Module):
    def __init__(self, words, d):
        super().__init__()
        self.embed, self.table = nn.Embedding(words, d), Table(100, d)
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, tokens):
        x = self.table(self.embed(tokens))
        q, k, v = self.q(x), self.k(x), self.v(x)
        return {attention}

Encoder(9, 4)(torch.zeros(3, 5).long())
"""
ALONG_ONE = "(q @ k.transpose(1, 2)).softmax(-1) @ v"
TURNED = "(q.transpose(0, 1) @ k.permute(1, 2, 0)).softmax(-1) @ v.transpose(0, 1)"


@pytest.mark.parametrize(
    ("laid", "cut", "attention", "expected"),
    [
        ("[:, None]", "self.table[: x.shape[0]]", ALONG_ONE, ["ATN306"]),
        ("", "self.table[: x.shape[1]]", ALONG_ONE, []),
        ("[None]", "self.table[:, : x.shape[1]]", ALONG_ONE, []),
        ("[:, None]", "self.table[: x.shape[0]]", TURNED, []),
    ],
)
def test_rows_for_what_attention_keeps_apart(laid, cut, attention, expected):
    code = WITHIN.format(laid=laid, cut=cut, attention=attention)
    found = check_source(code.encode(), "x.py", Settings()).findings
    assert [each.code for each in found] == expected


GIVEN = """def embed(x, table):
    \"\"\"x (B, T, d), table (max_len, d).\"\"\"
    {sizes} = x.shape
    return x + {cut}
"""


@pytest.mark.parametrize(
    "cut, right",
    [
        ("table[:B]", "table[:T]"),
        ("table[: x.size(0)]", "table[: x.size(1)]"),
        ("table[: x.shape[0]].unsqueeze(0)", "table[: x.shape[1]].unsqueeze(0)"),
    ],
)
def test_a_table_that_is_an_argument(cut, right):
    (finding,) = findings(GIVEN.format(sizes="B, T, d", cut=cut))
    assert finding.line == 9
    assert finding.fix.line == f"return x + {right}"
    assert findings(GIVEN.format(sizes="B, T, d", cut=right)) == []


@pytest.mark.parametrize("cut", ["table[:B][:, None]", "table[:5]", "table[T : T + T]"])
def test_an_argument_that_is_laid_along_what_it_is_counted_over(cut):
    assert findings(GIVEN.format(sizes="B, T, d", cut=cut)) == []
