import math
import torch
from torch import nn
import torch.nn.functional as F


class CosineWindowAttention(nn.Module):
    def __init__(self, dim, heads, window, qkv_bias=True):
        super().__init__()
        self.heads = heads
        self.window = window
        self.logit_scale = nn.Parameter(torch.full((heads, 1, 1), math.log(10.0)))
        self.cpb = nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, heads, bias=False))
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim)

        ax = torch.arange(window)
        grid = torch.stack(torch.meshgrid(ax, ax, indexing="ij"), dim=-1).reshape(-1, 2)
        rel = (grid[:, None] - grid[None]).float() / max(window - 1, 1)
        rel = torch.sign(rel) * torch.log2(1 + 8 * rel.abs()) / 3
        self.register_buffer("rel", rel, persistent=False)

    def forward(self, x, mask=None):
        bw, n, c = x.shape
        q, k, v = self.qkv(x).reshape(bw, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)

        q, k = F.normalize(q), F.normalize(k)
        attn = q @ k.transpose(-2, -1)
        attn = attn * self.logit_scale.clamp(max=math.log(100.0)).exp()
        attn = attn + 16 * torch.sigmoid(self.cpb(self.rel).permute(2, 0, 1))
        if mask is not None:
            nw = mask.shape[0]
            attn = attn.view(bw // nw, nw, self.heads, n, n) + mask[None, :, None]
            attn = attn.view(bw, self.heads, n, n)
        x = (attn.softmax(-1) @ v).transpose(1, 2).reshape(bw, n, c)
        return self.proj(x)
