"""Guards of the program's own that no sizes pass."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

CODE = """\
from torch import nn


class Heads(nn.Module):
    def __init__(self, config, d_model, n_heads):
        super().__init__()
        self.width, self.heads = config.hidden_size, config.num_heads
        each = {each}
        {guard}
        self.query = nn.Linear(d_model, d_model)
"""
RAISE = "if {}:\n            raise ValueError('no')"


def findings(each, guard):
    return check_source(CODE.format(each=each, guard=guard).encode(), "x.py", Settings()).findings


@pytest.mark.parametrize(
    ("each", "needed", "when"),
    [
        ("d_model // n_heads + 1", "each * n_heads != d_model", "never is"),
        ("d_model // n_heads * 2", "d_model != n_heads * each", "never is"),
        ("d_model", "each * n_heads != d_model", "only while n_heads == 1"),
        ("self.width", "self.heads * each != self.width", "only while config.num_heads == 1"),
    ],
)
def test_what_no_sizes_pass_stops_every_program(each, needed, when):
    (finding,) = findings(each, RAISE.format(needed))
    assert (finding.code, finding.severity, finding.line) == ("ATN108", "error", 9)
    assert when in finding.message
    (finding,) = findings(each, f"assert {needed.replace('!=', '==')}, 'no'")
    assert (finding.code, finding.line) == ("ATN108", 9)


@pytest.mark.parametrize(
    ("each", "guard"),
    [
        ("d_model // n_heads", RAISE.format("each * n_heads != d_model")),
        ("config.head_dim", RAISE.format("each * n_heads != d_model")),
        ("d_model // n_heads + 1", RAISE.format("each * n_heads == d_model")),
        # Not a guard: the program goes on.
        ("d_model", "if each * n_heads != d_model:\n            print('wide')"),
        ("d_model", RAISE.format("n_heads != 1")),
        # Two sizes that may well be equal, or numbers of this very program.
        ("d_model", RAISE.format("each != n_heads")),
        ("d_model", "assert config.layers == n_heads"),
        # What calls may change is not evaluated twice.
        ("d_model", RAISE.format("int(each * n_heads) != d_model")),
    ],
)
def test_what_may_be_passed_is_left_alone(each, guard):
    assert findings(each, guard) == ()
