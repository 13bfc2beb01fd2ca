import torch
import torch.nn as nn
import torch.nn.functional as F


class ShiftedWindowAttention(nn.Module):
    """Window attention on a feature map, cyclically shifted by half a window."""

    def __init__(self, dim, heads=4, window=8, shift=True):
        super().__init__()
        self.heads = heads
        self.window = window
        self.shift = window // 2 if shift else 0
        self.qkv = nn.Conv2d(dim, dim * 3, 1)
        self.proj = nn.Conv2d(dim, dim, 1)

    def partition(self, t):
        # (b, c, h, w) -> (b * windows, heads, window * window, c / heads)
        b, c, h, w = t.shape
        s = self.window
        t = t.view(b, self.heads, c // self.heads, h // s, s, w // s, s)
        return t.permute(0, 3, 5, 1, 4, 6, 2).reshape(-1, self.heads, s * s, c // self.heads)

    def unpartition(self, t, b, c, h, w):
        s = self.window
        t = t.view(b, h // s, w // s, self.heads, s, s, c // self.heads)
        return t.permute(0, 3, 6, 1, 4, 2, 5).reshape(b, c, h, w)

    def forward(self, x):
        b, c, h, w = x.shape
        if self.shift:
            x = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(2, 3))
        q, k, v = (self.partition(t) for t in self.qkv(x).chunk(3, dim=1))
        y = self.unpartition(F.scaled_dot_product_attention(q, k, v), b, c, h, w)
        y = self.proj(y)
        if self.shift:
            y = torch.roll(y, shifts=(self.shift, self.shift), dims=(2, 3))
        return y


if __name__ == "__main__":
    print(ShiftedWindowAttention(32)(torch.randn(2, 32, 16, 24)).shape)
