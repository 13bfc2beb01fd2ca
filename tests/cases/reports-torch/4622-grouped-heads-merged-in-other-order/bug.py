import torch
import torch.nn as nn
from einops import rearrange, einsum


class GroupedQueryAttention(nn.Module):
    def __init__(self, dim, q_heads, kv_heads, causal=True):
        super().__init__()
        assert q_heads % kv_heads == 0
        self.q_heads, self.kv_heads, self.causal = q_heads, kv_heads, causal
        d = dim // q_heads
        self.q_proj = nn.Linear(dim, q_heads * d, bias=False)
        self.k_proj = nn.Linear(dim, kv_heads * d, bias=False)
        self.v_proj = nn.Linear(dim, kv_heads * d, bias=False)
        self.o_proj = nn.Linear(q_heads * d, dim, bias=False)

    def forward(self, x):
        g = self.kv_heads
        q = rearrange(self.q_proj(x), "b n (g h d) -> b g h n d", g=g, h=self.q_heads // g)
        k = rearrange(self.k_proj(x), "b s (g d) -> b g s d", g=g)
        v = rearrange(self.v_proj(x), "b s (g d) -> b g s d", g=g)

        sim = einsum(q, k, "b g h n d, b g s d -> b g h n s") * q.shape[-1] ** -0.5
        if self.causal:
            n, s = sim.shape[-2:]
            sim = sim.masked_fill(torch.ones(n, s, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        attn = sim.softmax(dim=-1)

        out = einsum(attn, v, "b g h n s, b g s d -> b n h g d")
        out = rearrange(out, "b n h g d -> b n (h g d)")
        return self.o_proj(out)


def load_hf(layer, state, prefix):
    for name in ("q_proj", "k_proj", "v_proj", "o_proj"):
        getattr(layer, name).weight.data.copy_(state[f"{prefix}.{name}.weight"])
    return layer
