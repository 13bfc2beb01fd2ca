"""Joins with what is empty: a start of other sizes, and a slice that takes nothing."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CACHE = """\
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, dim, heads, kv_heads):
        super().__init__()
        self.heads, self.kv_heads, self.each = heads, kv_heads, dim // heads
        self.key = nn.Linear(dim, kv_heads * self.each)
        self.value = nn.Linear(dim, kv_heads * self.each)

    def start(self, batch):
        {start}

    def forward(self, x, cache):
        b, t, _ = x.shape
        keys = self.key(x).view(b, t, self.kv_heads, self.each).transpose(1, 2)
        values = self.value(x).view(b, t, self.kv_heads, self.each).transpose(1, 2)
        {body}
        return keys, values


attention = Attention(48, heads=6, kv_heads=2)
x = torch.randn(3, 5, 48)
print(attention(x, attention.start(3))[0].shape)
"""
JOINED = """\
keys = torch.cat((cache[0], keys), dim=2)
        values = torch.cat((cache[1], values), dim=2)"""


def alarms(code):
    found = check_source(code.encode(), "x.py", Settings()).findings
    return [each for each in found if each.severity != "note"]


def cached(start, body=JOINED):
    return CACHE.format(start=start, body=body)


STARTS = [
    "return (torch.empty(batch, self.{}, 0, self.each),) * 2",
    "return torch.zeros((batch, self.{}, 0, self.each)), torch.zeros((batch, 2, 0, 8))",
    "empty = torch.empty(batch, self.{}, 0, self.each); return empty, empty.clone()",
]


@pytest.mark.parametrize("start", STARTS)
def test_a_start_counts_with_its_other_sizes(start):
    code = cached(start.format("heads"))
    (finding,) = alarms(code)
    assert (finding.code, finding.line) == ("ATN106", 13)
    assert "joins (3, 6, 0, 8) and (3, 2, 5, 8) along axis 2: 6 meets 2" in finding.message
    assert finding.tensor.name == "cache[0]"
    assert finding.expected.shape == (3, 2, 0, 8)
    assert finding.fix.line == start.format("kv_heads")
    with pytest.raises(RuntimeError, match="Sizes of tensors must match"):
        exec(code, {})
    right = cached(start.format("kv_heads"))
    assert alarms(right) == []
    exec(right, {})


@pytest.mark.parametrize(
    "body",
    [
        # What nobody has put anything into yet is left out, and not joined.
        JOINED.replace("keys =", "if cache[0].shape[2]:\n            keys =").replace(
            "values =", "if cache[1].shape[2]:\n            values ="
        ),
        "if cache[0].numel() > 0:\n            keys = torch.cat((cache[0], keys), dim=2)",
        "keys = keys if cache[0].size(-2) == 0 else torch.cat((cache[0], keys), dim=2)",
    ],
)
def test_what_is_treated_apart_is_left_alone(body):
    code = cached(STARTS[0].format("heads"), body)
    assert alarms(code) == []
    exec(code, {})


@pytest.mark.parametrize(
    "start",
    [
        # Of one axis nothing is joined at all, whatever the others are.
        "return torch.tensor([]), torch.tensor([])",
        "return torch.empty(0), torch.empty(0)",
    ],
)
def test_nothing_of_one_axis_is_no_operand(start):
    code = cached(start)
    assert alarms(code) == []
    exec(code, {})


STATES = """\
import torch
from torch import nn


class Bridge(nn.Module):
    def __init__(self, dim, both={both}):
        super().__init__()
        self.both = both
        self.rnn = nn.{layer}(dim, dim, {options}batch_first=True)

    def fold(self, state):
        if self.both:
            state = torch.cat([{first}, {second}], 2)
        return state

    def forward(self, x):
        _, state = self.rnn(x)
        return self.fold(state)


print(Bridge(6)(torch.randn(4, 5, 6)).shape)
"""


def states(*, both=True, layer="GRU", options="", first="state[0::2]", second="state[1::2]"):
    return STATES.format(both=both, layer=layer, options=options, first=first, second=second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("state[0::2]", "state[1::2]"),
        ("state[0:state.size(0):2]", "state[1:state.size(0):2]"),
        ("state[::2, :]", "state[1::2, :]"),
        ("state[:1]", "state[1:]"),
    ],
)
def test_a_state_of_one_direction_has_no_second_half(first, second):
    code = states(first=first, second=second)
    (finding,) = alarms(code)
    assert (finding.code, finding.line) == ("ATN106", 13)
    assert f"`{second}` takes nothing: `state` (1, 4, 6) has 1 on axis 0" in finding.message
    assert "one a layer and direction" in finding.message
    assert (finding.tensor.name, finding.tensor.shape) == ("state", (1, 4, 6))
    assert finding.expected.shape == (2, 4, 6)
    assert finding.fix is None
    with pytest.raises(RuntimeError, match="Sizes of tensors must match"):
        exec(code, {})


@pytest.mark.parametrize(
    "code",
    [
        states(both=False),
        states(options="bidirectional=True, "),
        states(options="2, "),
        # Along the axis of what is missing nothing is wrong.
        states().replace("], 2)", "], 0)"),
    ],
)
def test_where_there_are_two_they_are_folded(code):
    assert alarms(code) == []
    exec(code, {})
