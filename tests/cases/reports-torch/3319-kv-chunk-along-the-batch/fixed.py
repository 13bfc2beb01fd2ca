import torch
from torch import nn, einsum


def exists(val):
    return val is not None


class CrossAttention(nn.Module):
    """Latent tokens attend to a context of another width (text conditioning)."""

    def __init__(self, query_dim, context_dim=None, heads=8, dim_head=64):
        super().__init__()
        inner_dim = dim_head * heads
        context_dim = context_dim if exists(context_dim) else query_dim
        self.heads, self.dim_head = heads, dim_head
        self.scale = dim_head ** -0.5
        self.norm = nn.LayerNorm(query_dim)
        self.to_q = nn.Linear(query_dim, inner_dim, bias=False)
        self.to_kv = nn.Linear(context_dim, inner_dim * 2, bias=False)
        self.to_out = nn.Linear(inner_dim, query_dim)

    def split(self, t, b):
        return t.reshape(b, -1, self.heads, self.dim_head).transpose(1, 2)

    def forward(self, x, context=None):
        b = x.shape[0]
        x = self.norm(x)
        context = context if exists(context) else x

        q = self.to_q(x)
        k, v = self.to_kv(context).chunk(2, dim=-1)
        q, k, v = (self.split(t, b) for t in (q, k, v))

        sim = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale
        attn = sim.softmax(dim=-1)
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(out.transpose(1, 2).flatten(2))


if __name__ == "__main__":
    attn = CrossAttention(query_dim=320, context_dim=768)
    latents = torch.randn(2, 256, 320)
    text = torch.randn(2, 77, 768)
    print(attn(latents, text).shape)
