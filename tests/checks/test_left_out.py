"""What is found where arguments that are None by default are left out."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
import torch
from torch import nn


def default(value, other):
    return value if value is not None else other


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(dim, dim)
        self.to_kv = nn.Linear(dim, 2 * dim)

    def forward(self, x, context=None{more}):
        b, n, dim = x.shape
        context = default(context, x)
        q = self.to_q(x)
        k, v = self.to_kv(context).chunk(2, dim={axis})
        return torch.softmax(q @ k.transpose(1, 2), dim=-1) @ v
"""


def found(axis, more=""):
    source = CODE.format(axis=axis, more=more).encode()
    return [(each.code, each.line) for each in check_source(source, "x.py", Settings()).findings]


def test_a_default_takes_the_place_of_what_is_left_out():
    assert found(1) == [("ATN109", 21)]
    assert found(-1) == []


def test_what_is_left_out_is_no_mask_that_is_forgotten():
    assert found(-1, ", mask=None") == [("ATN505", 16)]


@pytest.mark.parametrize("given", ["x=None, context=None", "*, x=None"])
def test_nobody_calls_a_function_with_nothing(given):
    code = f"import torch\n\n\ndef f({given}):\n    return x.reshape(2, 3) @ torch.ones(2, 3)\n"
    # What it does without arguments is not what it is called for; what is wrong anyway is told.
    found = check_source(code.encode(), "x.py", Settings()).findings
    assert [each.line for each in found] == [5]


CACHED = """\
import torch
from torch import nn


def attend(query, key, value):
    weights = torch.softmax(torch.matmul(query, {key}), dim=-1)
    return torch.matmul(weights, value)


class Attention(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.each = config.hidden_size // config.num_heads
        self.q = nn.Linear(config.hidden_size, config.num_heads * self.each)
        self.k = nn.Linear(config.hidden_size, config.num_heads * self.each)

    def forward(self, hidden_states, past_key_values=None):
        shape = (*hidden_states.shape[:-1], -1, self.each)
        query = self.q(hidden_states).view(*shape).transpose(1, 2)
        key = self.k(hidden_states).view(*shape).transpose(1, 2)
        if past_key_values is not None:
            key, _ = past_key_values.update(key, key)
        return attend(query, key, key)
"""


def test_keys_that_a_cache_may_lengthen_still_have_features_of_their_own():
    found = check_source(CACHED.format(key="key").encode(), "x.py", Settings()).findings
    assert [(each.code, each.line) for each in found] == [("ATN102", 6)]
    assert found[0].fix.line.count("key.transpose(-2, -1)") == 1
    right = CACHED.format(key="key.transpose(2, 3)")
    assert check_source(right.encode(), "x.py", Settings()).findings == ()


CONFIGURED = """\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads{more}):
        super().__init__()
        self.heads, self.sinks, self.kind = heads, sinks, kind
        self.qkv = nn.Linear(dim, 3 * dim)
        self.sink = nn.Parameter(torch.zeros(1, max(sinks, 1), dim))
        self.wide = nn.Linear(dim, 2 * dim)

    def forward(self, x):
        b, n, dim = x.shape
        if self.sinks > 0:
            x = torch.cat([self.sink.expand(b, -1, -1), x], dim=1)
        if self.kind == "wide":
            x = self.wide(x).chunk(2, dim=-1)[0]
        q, k, v = self.qkv(x).view(b, -1, 3, self.heads, dim // self.heads).unbind(2)
        q, k, v = (each.transpose(1, 2) for each in (q, k, v))
        weights = torch.softmax(q @ k.transpose({axes}), dim=-1)
        return (weights @ v).transpose(1, 2).flatten(2)
"""


@pytest.mark.parametrize(
    "more", [", sinks=0, kind='plain'", ", sinks=0, kind='wide'", ", kind='plain', *, sinks=1"]
)
def test_an_object_is_also_as_it_is_made_by_default(more):
    wrong = CONFIGURED.format(more=more, axes="1, 2").encode()
    found = [(each.code, each.line) for each in check_source(wrong, "x.py", Settings()).findings]
    assert ("ATN102", 21) in found or ("ATN101", 21) in found
    right = CONFIGURED.format(more=more, axes="2, 3").encode()
    assert check_source(right, "x.py", Settings()).findings == ()


def test_what_is_given_goes_with_an_object_that_is_made_for_it():
    code = b"""\
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, c, c_skip=0):
        super().__init__()
        self.mlp = nn.Linear(c + c_skip, c)

    def forward(self, x, skip=None):
        b, n, c = x.shape
        if skip is not None:
            x = torch.cat([x, skip], dim=-1)
        return torch.softmax(self.mlp(x) @ x.transpose(1, 2)[:, :c], dim=-1)
"""
    assert check_source(code, "x.py", Settings()).findings == ()
