"""ATN202: two tensors of the same two sizes, of which one stands the other way round."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MASKED = """import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


def sequence_mask(lengths, longest):
    return torch.arange(longest){}


class Pool(nn.Module):
    def __init__(self, d_in, d):
        super().__init__()
        self.gru = nn.GRU(d_in, d, batch_first=True)
        self.score = nn.Linear(d, 1)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True)
        out, _ = pad_packed_sequence(self.gru(packed)[0], batch_first=True)
        scores = self.score(out).squeeze(-1)
        mask = sequence_mask(lengths, out.size(1))
        weights = torch.softmax(scores.masked_fill(~mask, -1e9), dim=1)
        return (weights.unsqueeze(-1) * out).sum(1)
"""
ADDED = """import torch
def f(a: torch.Tensor):
    N, M = a.shape
    {}
"""


def found(code):
    """(code, line) of every error and warning."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line) for each in findings if each.severity != "note"]


@pytest.mark.parametrize(
    ("made", "lines"),
    [("[:, None] < lengths[None, :]", [21]), ("[None, :] < lengths[:, None]", [])],
)
def test_a_mask_of_lengths(made, lines):
    assert found(MASKED.format(made)) == [("ATN202", line) for line in lines]


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        ("return a + torch.ones(M, N)", [4]),
        ("return a + torch.ones(N, M)", []),
        ("return (a + a.T) / 2", []),
        ("s = a @ a.T\n    return s - s.T", []),
        ("return a.unsqueeze(0) * torch.ones(M, N)", [4]),
    ],
)
def test_axes_that_meet_crosswise(body, lines):
    assert found(ADDED.format(body)) == [("ATN202", line) for line in lines]
