import math

import torch
import torch.nn as nn


def get_slopes(n_heads):
    """Geometric sequence of the ALiBi paper (power of two heads only)."""
    start = 2 ** (-8 / n_heads)
    return torch.tensor([start ** (i + 1) for i in range(n_heads)])


class ALiBiAttention(nn.Module):
    def __init__(self, d_model, n_heads, dropout=0.0):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.c_attn = nn.Linear(d_model, 3 * d_model, bias=False)
        self.c_proj = nn.Linear(d_model, d_model, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.register_buffer("slopes", get_slopes(n_heads), persistent=False)

    def alibi(self, length):
        pos = torch.arange(length, device=self.slopes.device)
        distance = pos[None, :] - pos[:, None]
        return self.slopes[:, None, None] * distance

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.n_heads, self.d_head).transpose(1, 2)
        k = k.view(B, T, self.n_heads, self.d_head).transpose(1, 2)
        v = v.view(B, T, self.n_heads, self.d_head).transpose(1, 2)

        att = (q @ k.transpose(-2, -1)) / math.sqrt(self.d_head)
        att = att + self.alibi(T)
        causal = torch.ones(T, T, dtype=torch.bool, device=x.device).tril()
        att = att.masked_fill(~causal, float("-inf")).softmax(dim=-1)
        y = self.dropout(att) @ v
        return self.c_proj(y.transpose(1, 2).contiguous().view(B, T, C))


if __name__ == "__main__":
    attn = ALiBiAttention(d_model=256, n_heads=8)
    print(attn(torch.randn(2, 33, 256)).shape)
