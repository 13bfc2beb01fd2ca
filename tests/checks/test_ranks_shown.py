"""Numbers of axes that the code shows late, or that what a layer made has as a rule."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\n"


def codes(code):
    return [each.code for each in check_source((HEAD + code).encode(), "x.py", Settings()).findings]


CROSS = """
class Cross(nn.Module):
    def __init__(self, d{sizes}):
        super().__init__()
        self.q, self.k, self.v = nn.Linear({q}, d), nn.Linear({k}, d), nn.Linear({k}, d)

    def forward(self, x, other):
        q, k, v = self.q(x), self.k(other), self.v({values})
        w = torch.softmax(q @ k.transpose(1, 2) / q.size(-1) ** 0.5, dim=-1)
        return w @ v
"""


@pytest.mark.parametrize(("values", "expected"), [("other", []), ("x", ["ATN308"])])
@pytest.mark.parametrize(
    ("sizes", "q", "k"), [("", "d", "d"), (", d_one, d_two", "d_one", "d_two")]
)
def test_keys_that_are_turned_have_steps_and_what_meets_them_has_too(sizes, q, k, values, expected):
    assert codes(CROSS.format(sizes=sizes, q=q, k=k, values=values)) == expected


UNFLATTENED = """
class Reader(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.heads, self.proj = heads, nn.Linear(d, d)
        self.start = nn.Parameter(torch.zeros(1, 4, d))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x):
        q = self.split(self.proj(self.start.expand(x.shape[0], -1, -1)))
        k = v = self.split(self.proj(x))
        return (torch.softmax(q @ k.mT, dim=-1) @ v).transpose(1, 2).flatten(2)
"""


def test_what_has_been_cut_into_heads_has_an_axis_more():
    assert codes(UNFLATTENED) == []


GATED = """
class Step(nn.Module):
    def __init__(self, d, d_h):
        super().__init__()
        self.of_map, self.of_state = nn.Linear(d, d), nn.Linear(d_h, d)
        self.score, self.gate = nn.Linear(d, 1), nn.Linear(d_h, d)

    def forward(self, places, state):
        e = self.score(torch.tanh(self.of_map(places) + self.of_state(state).unsqueeze(1)))
        weights = e.squeeze(2).softmax(dim=1)
        context = torch.bmm(weights.unsqueeze(1), places){squeezed}
        return torch.sigmoid(self.gate(state)) * context


def run():
    return Step(6, 5)(torch.zeros(2, 7, 6), torch.zeros(2, 5))
"""


@pytest.mark.parametrize(("squeezed", "expected"), [(".squeeze(1)", []), ("", ["ATN201"])])
def test_batches_that_have_met_elsewhere_are_one_batch(squeezed, expected):
    assert codes(GATED.format(squeezed=squeezed)) == expected


MARGINS = """
def correct(x):
    a, b = x.sum(-1, keepdims=True), x.sum(-2, keepdims=True)
    return x - a * b / x.sum((-1, -2), keepdims=True)


def run(batch_size, length):
    return correct(torch.zeros(batch_size, length, length))
"""


def test_the_sums_of_a_table_along_its_sides_are_meant_to_make_one():
    assert codes(MARGINS) == []


CONFIGURED = """
class Block(nn.Module):
    def __init__(self, d, extra=None, turned=False):
        super().__init__()
        self.extra, self.turned = extra, turned
        self.first, self.second = nn.Linear(d, 2 * d), nn.Linear({second}, d)

    def forward(self, x):
        B, T, _ = x.shape
        h = self.first(x)
        if self.extra is not None:
            h = self.extra(h)
        if self.turned:
            h = h.flip(1)[:, : self.turned]
        return self.second(h)
"""


@pytest.mark.parametrize(("second", "expected"), [("2 * d", []), ("3 * d", ["ATN103"])])
def test_an_object_that_is_made_with_nothing_but_what_it_needs(second, expected):
    assert codes(CONFIGURED.format(second=second)) == expected


FLAGGED = """
class Encoder(nn.Module):
    def __init__(self, d, use_more=True):
        super().__init__()
        self.more = nn.Linear(1, 64) if use_more else nn.Linear(1, 128)
        self.out = nn.Linear(d + 128, d)

    def forward(self, x, length, more=None):
        B, T, d = x.shape
        parts = [x, self.more(length.unsqueeze(-1))]
        if more is not None:
            parts = [x, more, self.more(length.unsqueeze(-1))]
            return self.out(torch.cat(parts, dim=-1))
        return self.out(torch.cat([x, self.more(length.unsqueeze(-1))], dim=-1))
"""


def test_what_a_flag_of_the_constructor_goes_with_is_the_callers_to_give():
    assert codes(FLAGGED) == []


NAMED = """
class Down(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.proj, self.out = nn.Linear(d, d), nn.Linear({out}, d)

    def forward(self, hidden_states):
        {unpacked} = hidden_states.shape
        return self.out(self.proj(hidden_states){more})
"""


def test_names_do_not_say_how_many_axes_there_are_where_the_code_does():
    code = NAMED.format(unpacked="b, c, f, h, w", out="d", more="")
    assert codes(code) == []
