"""Results of a tensor's methods that nobody keeps, though the tensor is read afterwards."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = """import torch
import torch.nn.functional as F
def attend(q, k, v, parents, decoder, beam):
    '''q (B, T, H, d), k (B, T, H, d), v (B, T, H, d)'''
"""


def found(*lines, head=HEAD):
    code = head + "".join(f"    {line}\n" for line in lines)
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


SUM = "return F.scaled_dot_product_attention(q, k, v)"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("k.transpose(1, 2)", "ATN304"),
        ("k.permute(0, 2, 1, 3)", "ATN304"),
        ("k.swapaxes(1, 2)", "ATN304"),
        ("k.index_select(0, parents)", "ATN305"),
        ("k.flip(1)", "ATN305"),
        ("k.roll(1, 1)", "ATN305"),
        ("k.unsqueeze(0)", "ATN104"),
        ("k.view(k.size(0), -1, 1, k.size(3))", "ATN104"),
        ("k.reshape(k.size(0), -1, 1, k.size(3))", "ATN104"),
    ],
)
def test_a_result_that_is_dropped(line, code):
    read = "return torch.softmax(k.mean(-1), -1)"
    assert found(line, read) == [(code, 5, f"k = {line}")]
    assert found(f"k = {line}", read) == []
    # not read again, or given another value first
    assert found(line, "return q @ v.transpose(-2, -1)") == []
    assert found(line, "k = q * 2", SUM) == []


@pytest.mark.parametrize(
    "line",
    [
        "k.masked_fill_(k > 3, 0)",
        "k.squeeze_(0)",
        "k.transpose_(1, 2)",
        "k.requires_grad_()",
        "k.retain_grad()",
        "k.size(0)",
        "torch.transpose(k, 1, 2, out=k)",
        "beam.expand(3)",
        "beam.view(3, 4)",
        "beam.flip()",
        "assert k.transpose(1, 2) is not None",
    ],
)
def test_what_is_no_such_call(line):
    assert found(line, "beam.show()", SUM) == []


def test_states_of_beams():
    """What a module nobody knows gives: only tensors have such a method."""
    loop = [
        "hidden = q[:, 0, 0]",
        "for _ in range(beam):",
        "    hidden = decoder(hidden)",
        "    {}",
        "    parents = hidden[:, 0].topk(3)[1]",
    ]
    line = "hidden.index_select(0, parents)"
    lines = [each.format(line) for each in loop]
    assert found(*lines) == [("ATN305", 8, f"hidden = {line}")]
    assert found(*[each.format(f"hidden = {line}") for each in loop]) == []
    assert found(*[each.format("hidden.select(0, parents)") for each in loop]) == []


def test_the_next_turn_of_a_loop_reads_it():
    lines = ["for _ in range(3):", "    q = torch.tanh(q)", "    {}"]
    wrong = [each.format("q.flip(1)") for each in lines]
    assert found(*wrong, "return v") == [("ATN305", 7, "q = q.flip(1)")]
    lines[1] = "    q = torch.tanh(k)"
    assert found(*[each.format("q.flip(1)") for each in lines], "return v") == []


@pytest.mark.parametrize(
    "lines",
    [
        ("try:", "    k.view(3, 5, 2, 4)", "except RuntimeError:", "    pass", SUM),
        ("with pytest.raises(RuntimeError):", "    k.transpose(1, 9)", SUM),
        ("with timer('turn'):", "    k.transpose(1, 2)", SUM),
    ],
)
def test_calls_that_are_watched(lines):
    assert [each for each in found(*lines) if each[2] is not None] == []


def test_a_cell_shows_what_stands_alone():
    code = "import torch\nx = torch.ones(2, 3)\nx.transpose(0, 1)\ny = torch.softmax(x, -1) @ x.T\n"
    assert check_source(code.encode(), "x.py", Settings()).findings == ()
