import torch
from torch import nn
from torch.nn import functional as F
from einops import rearrange


class ChannelAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.temperature = nn.Parameter(torch.ones(heads, 1, 1))
        self.to_qkv = nn.Conv2d(dim, dim * 3, 1, bias=False)
        self.dw = nn.Conv2d(dim * 3, dim * 3, 3, padding=1, groups=dim * 3, bias=False)
        self.to_out = nn.Conv2d(dim, dim, 1, bias=False)

    def forward(self, x):
        h, w = x.shape[-2:]
        qkv = self.dw(self.to_qkv(x)).chunk(3, dim=1)
        q, k, v = (rearrange(t, 'b (n c) h w -> b n c (h w)', n=self.heads) for t in qkv)

        # channels attend to channels
        q, k = F.normalize(q, dim=-1), F.normalize(k, dim=-1)
        attn = (q @ k.transpose(-2, -1)) * self.temperature
        attn = attn.softmax(dim=-1)

        out = attn @ v
        return self.to_out(rearrange(out, 'b n c (h w) -> b (n c) h w', h=h, w=w))


class Denoiser(nn.Module):
    def __init__(self, dim=48, heads=(1, 2, 4)):
        super().__init__()
        self.stem = nn.Conv2d(3, dim, 3, padding=1)
        self.blocks = nn.ModuleList(ChannelAttention(dim, n) for n in heads)
        self.tail = nn.Conv2d(dim, 3, 3, padding=1)

    def forward(self, noisy):
        x = self.stem(noisy)
        for block in self.blocks:
            x = x + block(x)
        return noisy - self.tail(x)
