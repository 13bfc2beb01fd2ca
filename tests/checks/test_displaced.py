"""Axes that meet others than those of their size, though each has its own in the other tensor."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\n"
CODE = """\
class Pool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, query):
        b, n, dim = x.shape
        h = self.proj(x)
        pooled = h.mean(dim=1)
        scale = h.norm(dim=(1, 2))
        y = {expression}
        return y
"""


def findings(expression, code=CODE):
    source = (HEAD + code.format(expression=expression)).encode()
    return check_source(source, "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("expression", "wanted", "fix"),
    [
        ("h + x[..., None]", ("b", "n", "dim"), None),
        ("h * pooled.unsqueeze(2)", ("b", 1, "dim"), None),
        ("pooled.expand_as(h)", ("b", 1, "dim"), "pooled.unsqueeze(1).expand_as(h)"),
        ("pooled.expand(b, n, dim)", ("b", 1, "dim"), "pooled.unsqueeze(1).expand(b, n, dim)"),
        ("pooled.unsqueeze(2).expand_as(h)", ("b", 1, "dim"), None),
    ],
)
def test_each_axis_belongs_under_the_one_of_its_size(expression, wanted, fix):
    (finding,) = findings(expression)
    assert (finding.code, finding.line) == ("ATN202", 13)
    assert finding.expected.shape == wanted
    assert fix is None or finding.fix.line == f"y = {fix}"


@pytest.mark.parametrize(
    "expression",
    [
        "h + x",
        "h + pooled.unsqueeze(1)",
        "h + pooled[:, None]",
        "pooled.unsqueeze(1).expand_as(h)",
        "pooled[:, None].expand(b, n, dim)",
        "h * scale[:, None, None]",
        # All pairs of positions: each tensor has the axis of its own.
        "h[:, :, None] - h[:, None]",
        # Nobody knows what these are.
        "h + query",
        "query.expand_as(h)",
        # A part of the tensor is met, not the whole.
        "h.index_copy(1, torch.zeros(1).long(), pooled[:, None])",
    ],
)
def test_axes_that_meet_their_own_are_left_alone(expression):
    assert findings(expression) == ()


def test_numbers_that_are_equal_by_chance_say_nothing_of_where_an_axis_belongs():
    code = "def f(x):\n    b, n, d = x.shape\n    return {expression}\n"
    assert findings("x.new_zeros(2, n, d) + x.new_zeros(b, 2)", code) == ()


def test_a_size_that_a_division_leaves_may_be_any():
    code = """\
class Heads(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.each = dim // heads
        self.q = nn.Linear(dim, heads * self.each)

    def forward(self, x):
        b, n, dim = x.shape
        q = x.view(b, -1, self.heads, self.each).transpose(1, 2)
        mask = torch.ones(b, 1, 1, n)
        return {expression}
"""
    assert findings("(q @ q.transpose(2, 3)).masked_fill(mask == 0, -1e9)", code) == ()


PRESUMED = """\
class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.proj = nn.Linear(config.d_model, config.d_model)
        self.d_model = config.d_model

    def forward(self, {name}):
        {first}
        batch_size, points = {name}.shape[:2]
        attended = self.proj({name}).view(batch_size, points, -1, self.d_model)
        return {name} + attended
"""


@pytest.mark.parametrize(
    ("name", "first", "codes"),
    [
        ("hidden_states", "pass", []),
        ("x", "pass", []),
        ("x", "b, n, dim = x.shape", ["ATN202"]),
    ],
)
def test_a_rank_that_only_a_name_tells_is_not_held_against_another(name, first, codes):
    source = (HEAD + PRESUMED.format(name=name, first=first)).encode()
    found = check_source(source, "x.py", Settings()).findings
    assert [finding.code for finding in found] == codes
