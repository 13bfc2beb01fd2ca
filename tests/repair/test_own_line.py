"""A line that fails itself, written as the one beside it."""

from attncheck.engine import check_source
from attncheck.settings import Settings

PROJECTED = """
import torch
from torch import nn


class Projected(nn.Module):
    def __init__(self, dim, seq_len, rank):
        super().__init__()
        self.to_k, self.to_v = nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.proj_k = nn.Parameter(torch.randn(seq_len, rank))
        self.proj_v = nn.Parameter(torch.randn(seq_len, rank))

    def forward(self, x):
        b, n, d = x.shape
        k, v = self.to_k(x), self.to_v(x)
        k = torch.matmul(k, self.proj_k)
        v = torch.matmul(self.proj_v.t(), v)
        return k.view(b, -1, d), v.view(b, -1, d)
"""


def test_the_keys_are_projected_as_the_values_are():
    found = check_source(PROJECTED.encode(), "x.py", Settings()).findings
    (finding,) = [each for each in found if each.severity != "note"]
    assert finding.line == 16
    assert finding.fix.line.strip() == "k = torch.matmul(self.proj_k.t(), k)"
