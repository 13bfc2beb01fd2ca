import torch
from einops import rearrange
from torch import nn, einsum


class PromptAttention(nn.Module):
    """Pixels ask, the prompt answers. Without a context it is plain self-attention."""

    def __init__(self, query_dim, context_dim=None, heads=8, dim_head=40):
        super().__init__()
        inner = heads * dim_head
        if context_dim is None:
            context_dim = query_dim
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.to_q = nn.Linear(query_dim, inner, bias=False)
        self.to_k = nn.Linear(context_dim, inner, bias=False)
        self.to_v = nn.Linear(context_dim, inner, bias=False)
        self.to_out = nn.Linear(inner, query_dim)

    def forward(self, x, context=None):
        context = x if context is None else context
        q, k, v = self.to_q(x), self.to_k(context), self.to_v(context)
        q, k, v = (rearrange(t, 'b n (h d) -> b h n d', h=self.heads) for t in (q, k, v))
        sim = einsum('b h i d, b h j d -> b h i j', q, k) * self.scale
        out = einsum('b h i j, b h j d -> b h i d', sim.softmax(dim=-1), v)
        return self.to_out(rearrange(out, 'b h n d -> b n (h d)'))


class SpatialBlock(nn.Module):
    def __init__(self, channels, context_dim, heads=8):
        super().__init__()
        self.norm = nn.GroupNorm(32, channels)
        self.self_attn = PromptAttention(channels, heads=heads, dim_head=channels // heads)
        self.text_attn = PromptAttention(channels, context_dim, heads=heads, dim_head=channels // heads)

    def forward(self, x, context):
        h, w = x.shape[-2:]
        t = rearrange(self.norm(x), 'b c h w -> b (h w) c')
        t = t + self.self_attn(t)
        t = t + self.text_attn(t, context)
        return x + rearrange(t, 'b (h w) c -> b c h w', h=h, w=w)


if __name__ == '__main__':
    block = SpatialBlock(320, 768)
    latents = torch.randn(2, 320, 16, 16)
    prompt = torch.randn(2, 77, 768)
    print(block(latents, prompt).shape)
