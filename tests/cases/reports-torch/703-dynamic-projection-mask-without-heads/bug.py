import torch
from torch import nn, einsum
from einops import rearrange


class LowRankAttention(nn.Module):
    """Keys and values are summarised into r slots by a dynamic projection."""

    def __init__(self, dim, heads=8, dim_head=64, r=8):
        super().__init__()
        inner_dim = heads * dim_head
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.norm = nn.LayerNorm(dim_head)
        self.to_q = nn.Linear(dim, inner_dim, bias=False)
        self.to_kv = nn.Linear(dim, inner_dim, bias=False)
        self.to_dynamic_proj = nn.Linear(dim_head, r, bias=False)
        self.to_out = nn.Linear(inner_dim, dim)

    def forward(self, x, mask=None):
        h = self.heads
        q, kv = self.to_q(x), self.to_kv(x)
        q, kv = map(lambda t: rearrange(t, 'b n (h d) -> (b h) n d', h=h), (q, kv))
        q = q * self.scale

        pkv = self.to_dynamic_proj(kv)
        if mask is not None:
            mask_value = -torch.finfo(pkv.dtype).max
            pkv = pkv.masked_fill(~mask[..., None], mask_value)
        pkv = pkv.softmax(dim=-2)

        slots = self.norm(einsum('b n d, b n r -> b r d', kv, pkv))
        attn = einsum('b n d, b r d -> b n r', q, slots).softmax(dim=-1)
        out = einsum('b n r, b r d -> b n d', attn, slots)
        out = rearrange(out, '(b h) n d -> b n (h d)', h=h)
        return self.to_out(out)


if __name__ == "__main__":
    attn = LowRankAttention(dim=128, heads=4, dim_head=32)
    x = torch.randn(2, 50, 128)
    mask = torch.ones(2, 50).bool()
    mask[1, 40:] = False
    print(attn(x, mask=mask).shape)
