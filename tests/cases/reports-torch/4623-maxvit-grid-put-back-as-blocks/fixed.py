import torch
from torch import nn
from einops import rearrange


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, x):
        _, h, w, p1, p2, _ = x.shape
        t = rearrange(x, "b x y p1 p2 d -> (b x y) (p1 p2) d")
        n = self.norm(t)
        t = t + self.attn(n, n, n, need_weights=False)[0]
        return rearrange(t, "(b x y) (p1 p2) d -> b x y p1 p2 d", x=h, y=w, p1=p1, p2=p2)


class MaxViTLayer(nn.Module):
    """Block attention inside p x p windows, then grid attention over a p x p raster of the whole map."""

    def __init__(self, dim, heads=4, p=7):
        super().__init__()
        self.p = p
        self.conv = nn.Conv2d(dim, dim, 3, padding=1, groups=dim)
        self.block_attn = Attention(dim, heads)
        self.grid_attn = Attention(dim, heads)

    def forward(self, x):
        p = self.p
        x = x + self.conv(x)

        x = rearrange(x, "b d (x p1) (y p2) -> b x y p1 p2 d", p1=p, p2=p)
        x = self.block_attn(x)
        x = rearrange(x, "b x y p1 p2 d -> b d (x p1) (y p2)")

        grid = rearrange(x, "b d (p1 x) (p2 y) -> b x y p1 p2 d", p1=p, p2=p)
        grid = self.grid_attn(grid)
        return rearrange(grid, "b x y p1 p2 d -> b d (p1 x) (p2 y)")


if __name__ == "__main__":
    net = MaxViTLayer(32)
    print(net(torch.randn(1, 32, 28, 28)).shape)
