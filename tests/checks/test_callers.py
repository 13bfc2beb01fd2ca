"""Mistakes that fail in what is called, where the caller is to blame: the line is the caller's."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\n\n\n"

ATTEND = (
    HEAD
    + """\
def attend(q, k, v, mask=None):
    scores = q @ {k}
    if mask is not None:
        scores = scores + mask
    return scores.softmax(-1) @ {v}


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.d = heads, dim // heads
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, _ = x.shape
        shape = (b, n, self.heads, self.d)
        q = self.q(x).view(shape).transpose(1, 2)
        k = self.k(x).view(shape).transpose(1, 2)
        v = self.v(x).view(shape){turned}
        return attend(
            q,
            k,
            v,
            mask,
        )
"""
)
RIGHT = {"k": "k.transpose(2, 3)", "v": "v", "turned": ".transpose(1, 2)"}


def findings(code):
    return check_source(code.encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("wrong", "line", "function"),
    [
        ({"turned": ""}, 27, "Attention.forward"),
        ({"turned": ".transpose(0, 2)"}, 27, "Attention.forward"),
        # Arguments that are all alike are no reason to blame who gives them.
        ({"v": "v.transpose(1, 2)"}, 9, "attend"),
        ({"k": "k"}, 6, "attend"),
    ],
)
def test_the_argument_that_is_unlike_the_others_is_to_blame(wrong, line, function):
    found = findings(ATTEND.format(**(RIGHT | wrong)))
    assert [(each.line, each.function) for each in found] == [(line, function)]
    assert ("the call is to blame" in found[0].message) is (function != "attend")


def test_arguments_that_are_alike_are_left_alone():
    assert findings(ATTEND.format(**RIGHT)) == ()


NORM = (
    HEAD
    + """\
class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        return self.proj(self.norm(x)) + x


class Model(nn.Module):
    def __init__(self, dim, depth):
        super().__init__()
        self.token = nn.Parameter(torch.zeros(1, 1, dim))
        self.blocks = nn.ModuleList([{blocks}])

    def forward(self, images):
        token = self.token.expand(len(images), -1, -1){turned}
        for block in self.blocks:
            token = block(token)
        return token
"""
)


@pytest.mark.parametrize(
    "blocks", ["Block(dim) for _ in range(depth)", "Block(dim), nn.Sequential(Block(dim))"]
)
def test_a_layer_that_normalises_one_number_is_given_the_wrong_axis(blocks):
    (finding,) = findings(NORM.format(blocks=blocks, turned=".transpose(1, 2)"))
    assert (finding.code, finding.line, finding.function) == ("ATN103", 24, "Model.forward")
    assert "`block(token)` is to blame: what it calls fits by itself" in finding.message
    assert finding.message.endswith("(hidden while dim == 1)")


@pytest.mark.parametrize("turned", ["", ".reshape(-1, 1, self.token.shape[2])"])
def test_a_layer_that_normalises_features_is_left_alone(turned):
    assert findings(NORM.format(blocks="Block(dim)", turned=turned)) == ()


LACKING = (
    HEAD
    + """\
from torch.utils.checkpoint import checkpoint


def windows(x, size):
    B, H, W, C = x.shape
    return x.view(B, H // size, size, W // size, size, C)


class Block(nn.Module):
    def forward(self, x, v, mask{default}):
        return windows(x, 2), windows(v, 2), mask


class Layer(nn.Module):
    def __init__(self, save=False):
        super().__init__()
        self.save = save
        self.block = Block()

    def forward(self, x, v):
        x = x[:, :, None].expand(-1, -1, 4, -1)
        mask = x.new_zeros(3, 4, 4)
        if self.save:
            return {call}
        return self.block(x, v, mask)
"""
)


@pytest.mark.parametrize(
    "call",
    ["checkpoint(self.block, x, mask)", "self.block(x, mask)", "self.block(x=x, v=mask)"],
)
def test_a_call_that_lacks_an_argument_shows_nothing_of_the_others(call):
    assert findings(LACKING.format(call=call, default="")) == ()
    # With a default nothing is lacking: then it is the mask that is unpacked.
    (finding,) = findings(LACKING.format(call=call, default="=None"))
    assert (finding.code, finding.line) == ("ATN104", 9)


FOLDED = (
    HEAD
    + """\
def attend(query, context, {name}):
    b, t, _ = {name}.shape
    {name} = {name}.reshape(b, 1, t, t)
    scores = (query @ context.transpose(1, 2))[:, None]
    return (scores + {name}).softmax(-1)


print(attend(torch.randn(2, 5, 6), torch.randn(2, 8, 6), torch.zeros(2, 5, 8)).shape)
"""
)


@pytest.mark.parametrize("name", ["mask", "bias", "other"])
def test_what_has_sizes_of_its_own_is_no_argument_out_of_order(name):
    (finding,) = findings(FOLDED.format(name=name))
    assert (finding.code, finding.line) == ("ATN105", 7)
    assert "the call is to blame" not in finding.message
    assert (finding.tensor.name, finding.tensor.shape) == (name, (2, 5, 8))
    assert finding.fix.line == f"{name} = {name}.reshape(b, 1, t, {name}.shape[2])"
    assert finding.expected.shape == (2, 1, 5, 8)
