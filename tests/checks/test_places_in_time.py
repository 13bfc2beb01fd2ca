"""Axes of positions: cut, written into, packed, gone through, merged from rows and columns."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def findings(code, head=HEAD):
    return check_source((head + code).encode(), "x.py", Settings()).findings


def told(code, head=HEAD):
    return [(each.code, each.fix and each.fix.line) for each in findings(code, head)]


WINDOW = """
class Attention(nn.Module):
    def __init__(self, d, n_head, window):
        super().__init__()
        self.n_head, self.window = n_head, window
        self.qkv = nn.Linear(d, 3 * d)

    def forward(self, x, past):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k, v = k[{cut}], v[:, :, -self.window:]
        return {attended}
"""
LIBRARY = "F.scaled_dot_product_attention(q, k, v)"
WRITTEN = "torch.softmax(q @ k.transpose(-2, -1), -1) @ v"


@pytest.mark.parametrize(
    ("cut", "fix"),
    [
        (":, :, -self.window:", None),
        (":, -self.window:", "k, v = k[:, :, -self.window:], v[:, :, -self.window:]"),
    ],
)
def test_a_window_is_cut_from_the_positions(cut, fix):
    expected = [] if fix is None else [("ATN305", fix)]
    assert told(WINDOW.format(cut=cut, attended=LIBRARY)) == expected
    found = [code for code, _ in told(WINDOW.format(cut=cut, attended=WRITTEN))]
    assert found.count("ATN305") == len(expected)


def test_the_first_heads_are_cut_by_their_number():
    code = WINDOW.format(cut=":, :self.n_head // 2", attended=LIBRARY)
    assert "ATN305" not in [code for code, _ in told(code)]


BUFFER = """
import jax
import jax.numpy as jnp


def step(cache, k, pos):
    '''cache: (B, H, S, d), k: (B, H, 1, d)'''
    return jax.lax.dynamic_update_slice(cache, k, ({places}))
"""


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ("0, 0, pos, 0", []),
        (
            "0, pos, 0, 0",
            [("ATN305", "return jax.lax.dynamic_update_slice(cache, k, (0, 0, pos, 0))")],
        ),
        ("0, pos, pos, 0", []),
    ],
)
def test_what_fills_an_axis_is_placed_along_another(places, expected):
    assert told(BUFFER.format(places=places), "") == expected


MAPS = """
class Tokens(nn.Module):
    def __init__(self, d, count):
        super().__init__()
        self.patch = nn.Conv2d(3, d, 16, 16)
        self.grid = nn.Parameter(torch.zeros(1, d, count, count))

    def forward(self, images):
        feat = self.patch(images)
        h, w = feat.shape[-2:]
        pos = F.interpolate(self.grid, size=({size}), mode="bilinear")
        return feat.flatten(2).transpose(1, 2) + pos.flatten(2).transpose(1, 2)
"""


def test_positions_are_merged_in_one_order():
    assert told(MAPS.format(size="h, w")) == []
    fix = 'pos = F.interpolate(self.grid, size=(h, w), mode="bilinear")'
    assert told(MAPS.format(size="w, h")) == [("ATN202", fix)]


def test_a_map_is_merged_with_itself_whatever_its_sizes_are_called():
    code = """
def distances(x, y, n_cells):
    '''x: (N, d), y: (n_cells, d)'''
    N, d = x.shape
    one = x.repeat(n_cells, 1)
    other = y.repeat_interleave(N, 0)
    return one - other
"""
    assert told(code) == []


PACKED = """
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.embed = nn.Embedding(n, d)
        self.gru = nn.GRU(d, d, batch_first={layer})

    def forward(self, src, lengths):
        packed = pack_padded_sequence({given}, lengths{more})
        packed, h = self.gru(packed)
        out, _ = pad_packed_sequence(packed, batch_first={out})
        return out, h
"""


@pytest.mark.parametrize(
    ("layer", "given", "more", "out", "expected"),
    [
        (True, "self.embed(src)", "", True, ["ATN304"]),
        (True, "self.embed(src)", ", batch_first=True", True, []),
        (True, "self.embed(src).transpose(0, 1)", "", True, []),
        (False, "self.embed(src)", "", True, []),
        (True, "self.embed(src)", "", False, []),
    ],
)
def test_packing_goes_with_the_layer_and_the_unpacking(layer, given, more, out, expected):
    found = findings(PACKED.format(layer=layer, given=given, more=more, out=out))
    assert [each.code for each in found] == expected
    fixes = [each.fix.line for each in found]
    line = "packed = pack_padded_sequence(self.embed(src), lengths, batch_first=True)"
    assert fixes == [line] * len(expected)


LOOP = """
class Encoder(nn.Module):
    def __init__(self, n, d):
        super().__init__()
        self.embed, self.cell = nn.Embedding(n, d), nn.{cell}Cell(d, d)

    def forward(self, tokens):
        '''tokens: ({sizes})'''
        emb, state, states = self.embed(tokens), None, []
        for x_t in {steps}:
            state = self.cell(x_t, state)
            states.append(state{first})
        return torch.stack(states)
"""


@pytest.mark.parametrize(("cell", "first"), [("GRU", ""), ("LSTM", "[0]")])
@pytest.mark.parametrize(
    ("sizes", "steps", "expected"),
    [
        ("batch_size, seq_len", "emb", ["ATN304"]),
        ("batch_size, seq_len", "emb.unbind(1)", []),
        ("seq_len, batch_size", "emb", []),
        ("n, m", "emb", []),
    ],
)
def test_a_cell_runs_over_steps(cell, first, sizes, steps, expected):
    found = findings(LOOP.format(cell=cell, first=first, sizes=sizes, steps=steps))
    assert [each.code for each in found] == expected
    for each in found:
        assert each.fix.line.splitlines() == [
            "for x_t in emb.unbind(dim=1):",
            "return torch.stack(states, dim=1)",
        ]
