"""ATN305: weights of torch's attention split along the batch, beside an output split in time."""

import pytest
import torch

from attncheck.engine import check_source
from attncheck.settings import Settings

STREAMS = """import torch
from torch import nn


class Streams(nn.Module):
    def __init__(self, d, heads, n):
        super().__init__()
        self.attention = nn.MultiheadAttention(d, heads{made})
        self.n = n

    def forward(self, x, memory):
        \"\"\"x ({x}), memory ({memory}).\"\"\"
        out, weights = self.attention(x, memory, memory{given})
        outs = {outs}
        parts = {parts}
        return outs, parts
"""
TURNED = "out.transpose(0, 1).chunk(self.n, 1)"


def streams(parts, outs=TURNED, first=False, given=""):
    return STREAMS.format(
        parts=parts,
        outs=outs,
        given=given,
        made=", batch_first=True" if first else "",
        x="B, T, d" if first else "T, B, d",
        memory="B, S, d" if first else "S, B, d",
    )


def found(code):
    """(code, line, fix) of every finding but notes."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [
        (each.code, each.span.line, each.fix and each.fix.line)
        for each in findings
        if each.severity != "note"
    ]


@pytest.mark.parametrize(
    ("parts", "right"),
    [
        ("weights.transpose(0, 1).chunk(self.n, 1)", "weights.chunk(self.n, 1)"),
        ("weights.transpose(0, 1).chunk(self.n, dim=1)", "weights.chunk(self.n, dim=1)"),
        ("torch.chunk(weights.permute(1, 0, 2), self.n, 1)", "torch.chunk(weights, self.n, 1)"),
        ("weights.chunk(self.n, 0)", "weights.chunk(self.n, 1)"),
    ],
)
def test_the_batch_is_split(parts, right):
    assert found(streams(parts)) == [("ATN305", 15, f"parts = {right}")]
    assert found(streams(right)) == []


def test_other_ways_to_split_the_output():
    for outs in ("out.chunk(self.n, 0)", "out.chunk(self.n)", "torch.chunk(out, self.n, dim=0)"):
        code = streams("weights.chunk(self.n, dim=0)", outs)
        assert found(code) == [("ATN305", 15, "parts = weights.chunk(self.n, dim=1)")]


def test_sizes_of_parts():
    code = streams("weights.split(self.n, 0)", "out.split(self.n, dim=0)")
    assert found(code) == [("ATN305", 15, "parts = weights.split(self.n, 1)")]


def test_weights_of_each_head():
    given = ", average_attn_weights=False"
    code = streams("weights.chunk(self.n, 0)", "out.chunk(self.n, 0)", given=given)
    assert found(code) == [("ATN305", 15, "parts = weights.chunk(self.n, 2)")]


def test_what_the_finding_says():
    code = streams("weights.transpose(0, 1).chunk(self.n, 1)")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.tensor.name == "weights"
    assert finding.tensor.shape == finding.expected.shape == ("B", "T", "S")
    assert finding.message == (
        "`weights.transpose(0, 1).chunk(self.n, 1)` splits the weights of"
        " `self.attention(x, memory, memory)` along the batch: they are (B, T, S), batch first"
        " whatever the layout of the output is, which `out.transpose(0, 1).chunk(self.n, 1)` splits"
        " along the queries; nothing raises, but each part has the weights of other sequences"
    )


@pytest.mark.parametrize(
    ("parts", "outs", "first"),
    [
        ("weights.chunk(self.n, 1)", TURNED, False),
        ("weights.chunk(self.n, 1)", "out.chunk(self.n, 1)", True),
        # Conditional and unconditional samples side by side in the batch.
        ("weights.chunk(2)", "out.chunk(2)", True),
        ("weights.chunk(2, 0)", "out.chunk(2, 1)", False),
        # Nothing says what the parts are for, or the output has others.
        ("weights.chunk(self.n, 0)", "out", False),
        ("weights.chunk(2, 0)", TURNED, False),
        # The keys of each part.
        ("weights.chunk(self.n, 2)", TURNED, False),
    ],
)
def test_splits_that_are_right(parts, outs, first):
    assert found(streams(parts, outs, first)) == []


def test_the_parts_when_run():
    def run(parts):
        scope = {}
        exec(streams(parts), scope)
        torch.manual_seed(0)
        model = scope["Streams"](4, 2, 3)
        return model(torch.randn(6, 3, 4), torch.randn(5, 3, 4))

    outs, parts = run("weights.transpose(0, 1).chunk(self.n, 1)")
    assert [part.shape for part in outs] == [(3, 2, 4)] * 3
    assert [part.shape for part in parts] == [(6, 1, 5)] * 3
    outs, parts = run("weights.chunk(self.n, 1)")
    assert [part.shape for part in parts] == [(3, 2, 5)] * 3
