"""ATN307: which ways of repeating contradict each other, where it is said, and how it is mended."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import numpy as np\nimport torch, einops\n"
KNOWN = (
    "def f(x: torch.Tensor, y: torch.Tensor, n: int):\n"
    "    B, T, d = x.shape\n"
    "    assert y.shape == (B, T, d)\n"
)
ARRAYS = "x, y, n = np.ones((2, 5, 4)), np.ones((2, 5, 4)), 3\n"

TILED = (
    "x.repeat(n, 1, 1)",
    "x.tile(n, 1, 1)",
    "torch.tile(x, (n, 1, 1))",
    "torch.cat([x] * n, dim=0)",
    "torch.cat([x] * n)",
    "x.unsqueeze(0).expand(n, B, T, d).reshape(n * B, T, d)",
    "x[None].repeat(n, 1, 1, 1).view(-1, T, d)",
    "torch.stack([x] * n, dim=0).flatten(0, 1)",
    "einops.repeat(x, 'b t d -> (n b) t d', n=n)",
    "einops.rearrange([x] * n, 'n b t d -> (n b) t d')",
)
IN_PLACE = (
    "y.repeat_interleave(n, dim=0)",
    "torch.repeat_interleave(y, n, dim=0)",
    "y.unsqueeze(1).expand(B, n, T, d).reshape(B * n, T, d)",
    "y[:, None].repeat(1, n, 1, 1).flatten(0, 1)",
    "torch.stack([y] * n, dim=1).view(B * n, T, d)",
    "einops.repeat(y, 'b t d -> (b n) t d', n=n)",
    "einops.rearrange([y] * n, 'n b t d -> (b n) t d')",
)


def found(code):
    """(line, fix) of every finding of the rule; there must be no other."""
    findings = check_source((HEAD + code).encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN307"}
    return [(each.line, each.fix and each.fix.line) for each in findings]


def meeting(left, right, together="a * b"):
    return KNOWN + f"    a = {left}\n    b = {right}\n    return {together}\n"


@pytest.mark.parametrize("right", IN_PLACE)
@pytest.mark.parametrize("left", TILED)
def test_tiled_meets_in_place(left, right):
    assert found(meeting(left, right)) == [(8, None)]


@pytest.mark.parametrize("left", TILED)
def test_both_tiled(left):
    assert found(meeting(left, "y.repeat(n, 1, 1)")) == []


@pytest.mark.parametrize("right", IN_PLACE)
def test_both_in_place(right):
    assert found(meeting("x.repeat_interleave(n, dim=0)", right)) == []


@pytest.mark.parametrize(
    "together",
    [
        "torch.bmm(a, b.transpose(1, 2))",
        "a @ b.mT",
        "torch.einsum('bqd,bkd->bqk', a, b)",
        "einops.einsum(a, b, 'b q d, b k d -> b q k')",
        "torch.cat([a, b], dim=-1)",
        "torch.where(a > 0, a, b)",
    ],
)
def test_where_rows_meet(together):
    assert found(meeting(TILED[0], IN_PLACE[0], together)) == [(8, None)]


def test_joined_along_the_repeated_axis_they_do_not_meet():
    assert found(meeting(TILED[0], IN_PLACE[0], "torch.cat([a, b], dim=0)")) == []


def test_the_majority_decides():
    other = "    c = y.repeat_interleave(n, dim=0)\n    return"
    code = meeting("x.repeat(n, 1, 1)", IN_PLACE[0], "(a * b, c)").replace("    return", other)
    assert found(code) == [(6, "a = x.repeat_interleave(n, dim=0)")]
    other = "    c = y.repeat(n, 1, 1)\n    return"
    code = meeting("x.repeat(n, 1, 1)", IN_PLACE[0], "(a * b, c)").replace("    return", other)
    assert found(code) == [(7, "b = y.repeat(n, 1, 1)")]


def test_a_later_view_decides():
    code = meeting("x.repeat(n, 1, 1)", IN_PLACE[0], "(a * b).view(B, n, T, d)")
    assert found(code) == [(6, "a = x.repeat_interleave(n, dim=0)")]


SPLITS = [
    ("x.repeat(n, 1, 1)", "B, n", "x.repeat_interleave(n, dim=0)"),
    ("torch.tile(x, (n, 1, 1))", "B, n", "x.repeat_interleave(n, dim=0)"),
    ("torch.cat([x] * n, dim=0)", "B, n", "x.repeat_interleave(n, dim=0)"),
    ("x.repeat_interleave(n, dim=0)", "n, B", "x.repeat(n, 1, 1)"),
    ("torch.repeat_interleave(x, n, dim=0)", "n, B", "x.repeat(n, 1, 1)"),
    ("torch.repeat_interleave(x, repeats=n, dim=0)", "n, B", "x.repeat(n, 1, 1)"),
    (
        "einops.repeat(x, 'b t d -> (n b) t d', n=n)",
        "B, n",
        "einops.repeat(x, 'b t d -> (b n) t d', n=n)",
    ),
    (
        "einops.repeat(x, 'b t d -> (b n) t d', n=n)",
        "n, B",
        "einops.repeat(x, 'b t d -> (n b) t d', n=n)",
    ),
]


@pytest.mark.parametrize(("repeat", "split", "fixed"), SPLITS)
def test_split_the_other_way(repeat, split, fixed):
    code = KNOWN + f"    a = {repeat}\n    return a.view({split}, T, d)\n"
    assert found(code) == [(6, f"a = {fixed}")]
    right = ", ".join(reversed(split.split(", ")))
    assert found(code.replace(split + ", T", right + ", T")) == []


def test_split_the_other_way_by_a_pattern():
    split = "einops.rearrange(a, '(b n) t d -> b n t d', n=n)"
    code = KNOWN + f"    a = x.repeat(n, 1, 1)\n    return {split}\n"
    assert found(code) == [(6, "a = x.repeat_interleave(n, dim=0)")]
    assert found(code.replace("(b n)", "(n b)")) == []


def test_a_later_pattern_decides():
    split = "einops.rearrange(a * b, '(b n) t d -> b n t d', n=n)"
    code = meeting("x.repeat(n, 1, 1)", IN_PLACE[0], split)
    assert found(code) == [(6, "a = x.repeat_interleave(n, dim=0)")]


@pytest.mark.parametrize(
    ("repeat", "split", "fixed"),
    [
        ("np.tile(x, (n, 1, 1))", "2, n", "np.repeat(x, n, axis=0)"),
        ("np.repeat(x, n, axis=0)", "n, 2", "np.tile(x, (n, 1, 1))"),
        ("np.concatenate([x] * n, axis=0)", "2, n", "np.repeat(x, n, axis=0)"),
    ],
)
def test_numpy(repeat, split, fixed):
    code = ARRAYS + f"a = {repeat}\nb = a.reshape({split}, 5, 4)\n"
    assert found(code) == [(4, f"a = {fixed}")]


def test_rows_merged_by_a_view():
    code = (
        "def f(x: torch.Tensor, s: torch.Tensor):\n    B, T, d = x.shape\n"
        "    assert s.shape == (B, d)\n    rows = x.reshape(B * T, d)\n"
        "    queries = s.repeat(T, 1)\n    return (rows + queries).view(B, T, d)\n"
    )
    assert found(code) == [(7, "queries = s.repeat_interleave(T, dim=0)")]
    assert found(code.replace("s.repeat(T, 1)", "s.repeat_interleave(T, dim=0)")) == []


@pytest.mark.parametrize("together", ["torch.cat([a, b], dim=1).view(N, N, 2 * d)", "a + b"])
def test_all_pairs_of_one_tensor(together):
    code = (
        "def f(h: torch.Tensor):\n    N, d = h.shape\n    a = h.repeat_interleave(N, dim=0)\n"
        f"    b = h.repeat(N, 1)\n    return {together}\n"
    )
    assert found(code) == []


def test_all_pairs_as_many_as_somebody_says():
    code = (
        "def f(h: torch.Tensor, N: int):\n    M, d = h.shape\n"
        "    return h.repeat_interleave(N, dim=0) + h.repeat(N, 1)\n"
    )
    assert found(code) == []


def test_copies_of_one_row_have_no_order():
    code = "x = torch.ones(1, 4).repeat(3, 1).repeat(2, 1).view(3, 2, 4)\n"
    assert found(code) == []


def test_equal_sizes_have_one_order():
    code = "a = torch.ones(3, 4).repeat(3, 1) * torch.ones(3, 4).repeat_interleave(3, dim=0)\n"
    assert found(code) == []


LAYER = """import torch
from torch import nn
class Layer(nn.Module):
    def __init__(self, d: int, heads: int):
        super().__init__()
        self.heads = heads
        self.mha = nn.MultiheadAttention(d, heads, batch_first=True)
        self.layer = nn.TransformerEncoderLayer(d, heads, batch_first=True)
    def forward(self, x, mask):
        B, T, d = x.shape
{}        shown = {}
        return self.{}
"""
MASKS = [
    ("", "mask.repeat(self.heads, 1, 1)", "mask.repeat_interleave(self.heads, dim=0)"),
    ("", "torch.cat([mask] * self.heads)", None),
    ("", "mask.repeat_interleave(self.heads, dim=0)", None),
    ("", "mask.repeat(2, 1, 1)", None),
    ("", "mask[None].repeat(self.heads * B, 1, 1)", None),
    (
        "        assert mask.shape == (B, T, T)\n",
        "mask.repeat(self.heads, 1, 1)",
        "mask.repeat_interleave(self.heads, dim=0)",
    ),
    (
        "        assert mask.shape == (B, T, T)\n",
        "torch.cat([mask] * self.heads)",
        "mask.repeat_interleave(self.heads, dim=0)",
    ),
    ("        assert mask.shape == (T, T)\n", "mask.repeat(self.heads, 1, 1)", None),
    ("        assert mask.shape == (1, T, T)\n", "mask.repeat(self.heads, 1, 1)", None),
]
CALLS = ("mha(x, x, x, attn_mask=shown)[0]", "layer(x, src_mask=shown)")


@pytest.mark.parametrize(("line", "repeat", "fixed"), MASKS)
@pytest.mark.parametrize("call", CALLS)
def test_masks_of_heads(line, repeat, fixed, call):
    """torch reads the masks of one sequence's heads beside each other."""
    code = LAYER.format(line, repeat, call)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    fixes = [each.fix and each.fix.line for each in findings if each.code == "ATN307"]
    assert fixes == ([] if fixed is None else [f"shown = {fixed}"])


WINDOWS = """def f(x: torch.Tensor, w: int):
    B, H, W, d = x.shape
    x = x.view(B, H // w, w, W // w, w, d).permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, d)
    regions = torch.zeros(1, H, W, 1).view(1, H // w, w, W // w, w, 1)
    regions = regions.permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w)
    mask = regions[:, None] - regions[:, :, None]
    mask = {repeated}
    return torch.softmax(x @ x.transpose(1, 2) + mask, dim=-1) @ x
"""


@pytest.mark.parametrize(
    ("repeated", "mended"),
    [
        ("mask.repeat_interleave(B, dim=0)", "mask.repeat(B, 1, 1)"),
        ("torch.repeat_interleave(mask, B, dim=0)", "mask.repeat(B, 1, 1)"),
    ],
)
def test_masks_of_windows_of_several_images(repeated, mended):
    assert found(WINDOWS.format(repeated=repeated)) == [(9, f"mask = {mended}")]
    assert found(WINDOWS.format(repeated=mended)) == []


def test_windows_within_images_repeated_for_their_columns():
    # (B, rows) of one map each, in the order (B, rows, columns) of the windows.
    code = (
        "def f(x: torch.Tensor, y: torch.Tensor):\n"
        "    B, rows, columns, d = x.shape\n"
        "    assert y.shape == (B, rows, d)\n"
        "    x = x.reshape(B * rows * columns, d)\n"
        "    y = y.reshape(B * rows, d)\n"
        "    return x * {}\n"
    )
    right = "y.repeat_interleave(columns, dim=0)"
    assert found(code.format(right)) == []
    assert found(code.format("y.repeat(columns, 1)")) == [(8, f"return x * {right}")]
