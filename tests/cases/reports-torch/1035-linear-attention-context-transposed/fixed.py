import torch
from torch import nn
from einops import rearrange


class LinearAttention(nn.Module):
    def __init__(self, dim, heads=4, dim_head=32):
        super().__init__()
        self.heads = heads
        self.scale = dim_head ** -0.5
        hidden_dim = dim_head * heads
        self.to_qkv = nn.Conv2d(dim, hidden_dim * 3, 1, bias=False)
        self.to_out = nn.Sequential(nn.Conv2d(hidden_dim, dim, 1), nn.GroupNorm(1, dim))

    def forward(self, x):
        b, c, h, w = x.shape
        qkv = self.to_qkv(x).chunk(3, dim=1)
        q, k, v = map(lambda t: rearrange(t, "b (h c) x y -> b h c (x y)", h=self.heads), qkv)

        q = q.softmax(dim=-2) * self.scale
        k = k.softmax(dim=-1)

        context = torch.einsum("b h d n, b h e n -> b h d e", k, v)
        out = torch.einsum("b h d e, b h d n -> b h e n", context, q)
        out = rearrange(out, "b h c (x y) -> b (h c) x y", h=self.heads, x=h, y=w)
        return self.to_out(out)


class ResBlock(nn.Module):
    def __init__(self, dim, groups=8):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(dim, dim, 3, padding=1), nn.GroupNorm(groups, dim), nn.SiLU())
        self.attn = LinearAttention(dim)

    def forward(self, x):
        x = x + self.conv(x)
        return x + self.attn(x)


if __name__ == "__main__":
    block = ResBlock(64)
    print(block(torch.randn(2, 64, 32, 32)).shape)
