import torch
from torch import nn, einsum
from einops import rearrange


class TriangleMultiplication(nn.Module):
    """Updates the edge (i, j) from the two other edges of every triangle (i, j, k)."""

    def __init__(self, dim, hidden=None, mix="outgoing"):
        super().__init__()
        hidden = hidden or dim
        self.norm = nn.LayerNorm(dim)
        self.left = nn.Linear(dim, hidden)
        self.right = nn.Linear(dim, hidden)
        self.left_gate = nn.Linear(dim, hidden)
        self.right_gate = nn.Linear(dim, hidden)
        self.out_gate = nn.Linear(dim, dim)
        if mix == "outgoing":
            self.mix = "b i k d, b j k d -> b i j d"
        else:
            self.mix = "b k j d, b k i d -> b i j d"
        self.out_norm = nn.LayerNorm(hidden)
        self.out = nn.Linear(hidden, dim)

    def forward(self, pair, mask=None):
        x = self.norm(pair)
        a = self.left(x) * self.left_gate(x).sigmoid()
        b = self.right(x) * self.right_gate(x).sigmoid()
        if mask is not None:
            m = rearrange(mask, "b i -> b i 1 1") * rearrange(mask, "b j -> b 1 j 1")
            a, b = a * m, b * m
        y = einsum(self.mix, a, b)
        return self.out(self.out_norm(y)) * self.out_gate(x).sigmoid()


class PairStack(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.outgoing = TriangleMultiplication(dim)
        self.incoming = TriangleMultiplication(dim, mix="incoming")

    def forward(self, pair, mask=None):
        pair = pair + self.outgoing(pair, mask)
        return pair + self.incoming(pair, mask)
