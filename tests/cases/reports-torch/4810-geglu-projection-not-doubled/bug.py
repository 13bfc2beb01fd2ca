import torch
import torch.nn.functional as F
from torch import nn


class GatedFeedForward(nn.Module):
    def __init__(self, width, expand=4):
        super().__init__()
        inner = expand * width
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)

    def forward(self, x):
        value, gate = self.up(x).chunk(2, dim=-1)
        return self.down(value * F.gelu(gate))


class CrossAttention(nn.Module):
    def __init__(self, query_dim, context_dim, heads, dim_head):
        super().__init__()
        self.heads = heads
        self.to_q = nn.Linear(query_dim, heads * dim_head, bias=False)
        self.to_kv = nn.Linear(context_dim, 2 * heads * dim_head, bias=False)
        self.to_out = nn.Linear(heads * dim_head, query_dim)

    def forward(self, x, context):
        q, k, v = self.to_q(x), *self.to_kv(context).chunk(2, dim=-1)
        q, k, v = [t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v)]
        out = F.scaled_dot_product_attention(q, k, v)
        return self.to_out(out.transpose(1, 2).flatten(2))


class TextConditionedBlock(nn.Module):
    def __init__(self, dim, context_dim, heads=4, dim_head=16):
        super().__init__()
        self.attn = CrossAttention(dim, context_dim, heads, dim_head)
        self.ff = GatedFeedForward(dim)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x, context):
        x = x + self.attn(self.norm1(x), context)
        return x + self.ff(self.norm2(x))
