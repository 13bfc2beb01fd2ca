import torch
from torch import nn, einsum
from einops import rearrange, repeat


def knn_index(pos, k):
    return torch.cdist(pos, pos).topk(k, dim=-1, largest=False).indices


def gather_neighbours(t, idx):
    """t: b n d, idx: b n k -> b n k d"""
    b, n, k = idx.shape
    flat = rearrange(idx, "b n k -> b (n k)")
    picked = t.gather(1, repeat(flat, "b m -> b m d", d=t.shape[-1]))
    return rearrange(picked, "b (n k) d -> b n k d", n=n)


class VectorAttention(nn.Module):
    def __init__(self, dim, num_neighbours=16, mult=4):
        super().__init__()
        self.k = num_neighbours
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.pos_mlp = nn.Sequential(nn.Linear(3, 64), nn.ReLU(), nn.Linear(64, dim))
        self.attn_mlp = nn.Sequential(nn.Linear(dim, dim * mult), nn.ReLU(), nn.Linear(dim * mult, dim))

    def forward(self, x, pos):
        q, key, v = self.to_qkv(x).chunk(3, dim=-1)
        idx = knn_index(pos, min(self.k, x.shape[1]))

        rel = self.pos_mlp(rearrange(pos, "b n c -> b n 1 c") - gather_neighbours(pos, idx))
        sim = rearrange(q, "b n d -> b n 1 d") - gather_neighbours(key, idx) + rel
        v = gather_neighbours(v, idx) + rel

        attn = self.attn_mlp(sim).softmax(dim=-1)
        return einsum("b n k d, b n k d -> b n d", attn, v)


class PointBlock(nn.Module):
    def __init__(self, dim, neighbours=16):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = VectorAttention(dim, neighbours)
        self.out = nn.Linear(dim, dim)

    def forward(self, x, pos):
        return x + self.out(self.attn(self.norm(x), pos))
