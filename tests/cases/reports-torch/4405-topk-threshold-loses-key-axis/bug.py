import torch
from torch import nn


class TopKSelfAttention(nn.Module):
    """Every query keeps its k best keys, the rest gets no weight."""

    def __init__(self, dim, heads=8, topk=8):
        super().__init__()
        self.heads = heads
        self.topk = topk
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=False)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]

        dots = (q @ k.transpose(-2, -1)) * self.scale
        best = dots.topk(min(self.topk, n), dim=-1).values
        threshold = best[..., -1]
        dots = dots.masked_fill(dots < threshold, float("-inf"))

        out = dots.softmax(dim=-1) @ v
        return self.proj(out.transpose(1, 2).reshape(b, n, c))


if __name__ == "__main__":
    attn = TopKSelfAttention(128)
    print(attn(torch.randn(2, 49, 128)).shape)
