"""Fixes further back than the line that fails, and where their findings stand."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\n"


def findings(code):
    return list(check_source((HEAD + code).encode(), "x.py", Settings()).findings)


HEADS = """
class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.d_k = heads, d // heads
        self.{q}, self.{k}, self.{v} = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        B, T, d = x.shape
        q = self.{q}(x).view(B, T, self.heads, self.d_k).transpose(1, 2)
        k = self.{k}(x).view(B, T, self.heads, self.d_k).transpose(1, 2)
        v = self.{v}(x).view(B, T, self.heads, self.d_k){turned}
        weights = torch.softmax(q @ k.transpose(-2, -1), dim=-1)
        return (weights @ v).transpose(1, 2).reshape(B, T, d)
"""


@pytest.mark.parametrize(
    ("q", "k", "v"),
    [
        ("q_proj", "k_proj", "v_proj"),
        ("W_q", "W_k", "W_v"),
        ("wq", "wk", "wv"),
        ("to_q", "to_k", "to_v"),
    ],
)
def test_queries_keys_and_values_are_made_alike(q, k, v):
    assert findings(HEADS.format(q=q, k=k, v=v, turned=".transpose(1, 2)")) == []
    (found,) = findings(HEADS.format(q=q, k=k, v=v, turned=""))
    fixed = f"v = self.{v}(x).view(B, T, self.heads, self.d_k).transpose(1, 2)"
    assert (found.code, found.fix.line) == ("ATN101", fixed)
    assert found.function == "Attention.forward"


HELPED = """
def attend(query, key, value):
    weights = torch.softmax(query @ key.transpose(2, 3), dim=-1)
    out = torch.matmul(weights, value)
    return out.transpose(1, 2)


class Attention(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.d_k = heads, d // heads
        self.query, self.key, self.value = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)

    def forward(self, x):
        B, T, d = x.shape
        query_layer = self.query(x).view(B, T, self.heads, self.d_k).transpose(1, 2)
        key_layer = self.key(x).view(B, T, self.heads, self.d_k).transpose(1, 2)
        value_layer = self.value(x).view(B, T, self.heads, self.d_k){turned}
        return attend(query_layer, key_layer, value_layer).reshape(B, T, d)
"""


def test_what_a_helper_is_given_wrongly_is_mended_where_that_is_made():
    assert findings(HELPED.format(turned=".transpose(1, 2)")) == []
    (found,) = findings(HELPED.format(turned=""))
    fixed = "value_layer = self.value(x).view(B, T, self.heads, self.d_k).transpose(1, 2)"
    assert (found.code, found.fix.line) == ("ATN101", fixed)
    assert found.function == "Attention.forward"


RESIZED = """
class Patches(nn.Module):
    def __init__(self, d, count):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 16, 16)
        self.grid = nn.Parameter(torch.zeros(1, d, count, count))

    def positions(self, h, w):
        pos = nn.functional.interpolate(self.grid, size=({size}))
        return pos.flatten(2).transpose(1, 2)

    def forward(self, images):
        feat = self.patch(images)
        h, w = feat.shape[-2:]
        return feat.flatten(2).transpose(1, 2) + self.positions(h, w)
"""


def test_a_finding_stands_where_its_one_edit_is():
    assert findings(RESIZED.format(size="h, w")) == []
    code = RESIZED.format(size="w, h")
    (found,) = findings(code)
    lines = (HEAD + code).splitlines()
    assert lines[found.span.line - 1].lstrip().startswith("pos = nn.functional.interpolate(")
    assert found.fix.line == "pos = nn.functional.interpolate(self.grid, size=(h, w))"
    assert found.function == "Patches.positions"
    added = next(at for at, line in enumerate(lines, 1) if "+ self.positions" in line)
    assert f"(line {added}, in `Patches.forward`, which takes what is made here)" in found.message


JOINED = """
class Joined(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.gate = nn.Linear(2 * d, d)

    def forward(self, x, mean):
        B, T, d = x.shape
        both = torch.cat((x, mean.expand(B, T, d)), dim={axis})
        return x * torch.sigmoid(self.gate(both))
"""


def test_another_axis_is_named_further_back():
    assert findings(JOINED.format(axis=-1)) == []
    found = findings(JOINED.format(axis=1))
    assert len(found) == 1
    assert found[0].fix.line == "both = torch.cat((x, mean.expand(B, T, d)), dim=2)"
