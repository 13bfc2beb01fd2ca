import torch
from torch import nn


class MLA(nn.Module):
    def __init__(self, hidden, heads, kv_rank=64, nope=16, rope=8, v_dim=16):
        super().__init__()
        self.heads, self.kv_rank, self.nope, self.rope, self.v_dim = heads, kv_rank, nope, rope, v_dim
        self.q_proj = nn.Linear(hidden, heads * (nope + rope), bias=False)
        self.kv_a = nn.Linear(hidden, kv_rank + rope, bias=False)
        self.kv_norm = nn.RMSNorm(kv_rank)
        self.kv_b = nn.Linear(kv_rank, heads * (nope + v_dim), bias=False)
        self.o_proj = nn.Linear(heads * v_dim, hidden, bias=False)
        self.cache_width = kv_rank + rope
        self.scale = self.cache_width ** -0.5

    def rotate(self, t, start):
        pos = torch.arange(start, start + t.size(1), device=t.device).float()
        freq = 10000 ** (-torch.arange(0, self.rope, 2, device=t.device) / self.rope)
        ang = (pos[:, None] * freq).view(1, -1, *(1,) * (t.dim() - 3), self.rope // 2)
        a, b = t.chunk(2, dim=-1)
        return torch.cat([a * ang.cos() - b * ang.sin(), a * ang.sin() + b * ang.cos()], dim=-1)

    def forward(self, x, cache=None):
        bsz, T, _ = x.shape
        start = 0 if cache is None else cache.size(1)
        q = self.q_proj(x).view(bsz, T, self.heads, self.nope + self.rope)
        q_nope, q_pe = q.split([self.nope, self.rope], dim=-1)
        q = torch.cat([q_nope, self.rotate(q_pe, start)], dim=-1)

        latent, k_pe = self.kv_a(x).split([self.kv_rank, self.rope], dim=-1)
        new = torch.cat([self.kv_norm(latent), self.rotate(k_pe, start)], dim=-1)
        cache = new if cache is None else torch.cat([cache, new], dim=1)
        S = cache.size(1)

        kv = self.kv_b(cache[..., :self.kv_rank]).view(bsz, S, self.heads, self.nope + self.v_dim)
        k_nope, v = kv.split([self.nope, self.v_dim], dim=-1)
        k = torch.cat([k_nope, cache[:, :, None, self.kv_rank:].expand(-1, -1, self.heads, -1)], dim=-1)

        scores = torch.einsum("bthd,bshd->bhts", q, k) * self.scale
        future = torch.ones(T, S, dtype=torch.bool, device=x.device).triu(1 + S - T)
        probs = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        y = torch.einsum("bhts,bshd->bthd", probs, v)
        return self.o_proj(y.flatten(2)), cache
