import torch
import torch.nn as nn
import torch.nn.functional as F


class AttnPool(nn.Module):
    def __init__(self, side, width, heads, out_dim=None):
        super().__init__()
        self.positions = nn.Parameter(torch.randn(side ** 2 + 1, width) / width ** 0.5)
        self.q = nn.Linear(width, width)
        self.k = nn.Linear(width, width)
        self.v = nn.Linear(width, width)
        self.c = nn.Linear(width, out_dim or width)
        self.heads = heads

    def _split(self, t):
        n, b, c = t.shape
        return t.reshape(n, b * self.heads, c // self.heads).transpose(0, 1)

    def forward(self, fmap):
        b, c = fmap.shape[:2]
        x = fmap.flatten(2).permute(2, 0, 1)
        x = torch.cat([x.mean(0, keepdim=True), x], dim=0)
        x = x + self.positions
        q = self._split(self.q(x[:1]))
        k, v = self._split(self.k(x)), self._split(self.v(x))
        y = F.scaled_dot_product_attention(q, k, v)
        return self.c(y.transpose(0, 1).reshape(b, c))


class ImageTower(nn.Module):
    def __init__(self, width=64, side=7):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(side))
        self.pool = AttnPool(side, width, heads=4, out_dim=32)

    def forward(self, img):
        return F.normalize(self.pool(self.stem(img)), dim=-1)
