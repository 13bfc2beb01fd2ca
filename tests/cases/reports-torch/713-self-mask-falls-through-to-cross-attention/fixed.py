import torch
from torch import nn, einsum
from einops import rearrange


class Attention(nn.Module):
    def __init__(self, dim, heads=8, dim_head=64, causal=False):
        super().__init__()
        self.heads, self.scale, self.causal = heads, dim_head ** -0.5, causal
        inner_dim = heads * dim_head
        self.to_q = nn.Linear(dim, inner_dim, bias=False)
        self.to_kv = nn.Linear(dim, inner_dim * 2, bias=False)
        self.to_out = nn.Linear(inner_dim, dim, bias=False)

    def forward(self, x, context=None, mask=None, context_mask=None):
        kv_input = x if context is None else context
        q, k, v = self.to_q(x), *self.to_kv(kv_input).chunk(2, dim=-1)
        q, k, v = (rearrange(t, 'b n (h d) -> b h n d', h=self.heads) for t in (q, k, v))
        dots = einsum('b h i d, b h j d -> b h i j', q, k) * self.scale
        neg = -torch.finfo(dots.dtype).max

        input_mask = context_mask
        if input_mask is None and context is None:
            input_mask = mask
        if input_mask is not None:
            dots = dots.masked_fill(~rearrange(input_mask, 'b j -> b 1 1 j'), neg)
        if self.causal:
            i, j = dots.shape[-2:]
            dots = dots.masked_fill(torch.ones(i, j, dtype=torch.bool).triu(j - i + 1), neg)

        out = einsum('b h i j, b h j d -> b h i d', dots.softmax(dim=-1), v)
        return self.to_out(rearrange(out, 'b h n d -> b n (h d)'))


class DecoderBlock(nn.Module):
    def __init__(self, dim, **kwargs):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.self_attn = Attention(dim, causal=True, **kwargs)
        self.cross_attn = Attention(dim, **kwargs)

    def forward(self, x, context, mask=None, context_mask=None):
        x = x + self.self_attn(self.norm1(x), mask=mask)
        return x + self.cross_attn(self.norm2(x), context=context, mask=mask, context_mask=context_mask)


if __name__ == "__main__":
    block = DecoderBlock(64, heads=4, dim_head=16)
    x, context = torch.randn(2, 10, 64), torch.randn(2, 24, 64)
    mask = torch.ones(2, 10, dtype=torch.bool)
    print(block(x, context, mask=mask).shape)
