import math
import torch
import torch.nn as nn


class LinformerSelfAttention(nn.Module):
    def __init__(self, dim, seq_len, rank=32, heads=4):
        super().__init__()
        assert dim % heads == 0
        self.heads, self.dim_head = heads, dim // heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(dim, dim, bias=False)
        self.to_v = nn.Linear(dim, dim, bias=False)
        self.proj_k = nn.Parameter(torch.empty(seq_len, rank).uniform_(-1, 1) / math.sqrt(rank))
        self.proj_v = nn.Parameter(torch.empty(seq_len, rank).uniform_(-1, 1) / math.sqrt(rank))
        self.to_out = nn.Linear(dim, dim)

    def split(self, t):
        return t.reshape(t.shape[0], t.shape[1], self.heads, self.dim_head).transpose(1, 2)

    def forward(self, x):
        b, n, d = x.shape
        k, v = self.to_k(x), self.to_v(x)

        # n keys and values are squeezed to `rank` of them
        k = torch.matmul(k, self.proj_k)
        v = torch.matmul(self.proj_v.t(), v)

        q, k, v = self.split(self.to_q(x)), self.split(k), self.split(v)
        dots = torch.einsum('bhnd,bhrd->bhnr', q, k) / math.sqrt(self.dim_head)
        out = torch.einsum('bhnr,bhrd->bhnd', dots.softmax(dim=-1), v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, d))
