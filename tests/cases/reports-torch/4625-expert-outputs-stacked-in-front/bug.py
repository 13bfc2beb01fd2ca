import torch
from torch import nn
from einops import rearrange, repeat


class CrossExpert(nn.Module):
    def __init__(self, dim, ctx_dim, heads, dim_head):
        super().__init__()
        self.heads = heads
        self.scale = dim_head ** -0.5
        inner = heads * dim_head
        self.to_q = nn.Linear(dim, inner, bias=False)
        self.to_kv = nn.Linear(ctx_dim, inner * 2, bias=False)
        self.to_out = nn.Linear(inner, dim, bias=False)

    def forward(self, x, ctx):
        q = self.to_q(x)
        k, v = self.to_kv(ctx).chunk(2, dim=-1)
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in (q, k, v))
        attn = (torch.einsum("b h i d, b h j d -> b h i j", q, k) * self.scale).softmax(-1)
        return self.to_out(rearrange(attn @ v, "b h n d -> b n (h d)"))


class ModalityMixture(nn.Module):
    """Text tokens read from every modality, a gate per token weighs what came back."""

    def __init__(self, dim, ctx_dims, heads=4, dim_head=16):
        super().__init__()
        self.experts = nn.ModuleList(CrossExpert(dim, c, heads, dim_head) for c in ctx_dims)
        self.gate = nn.Linear(dim, len(ctx_dims))
        self.null = nn.Parameter(torch.zeros(dim))

    def forward(self, x, contexts):
        outs = []
        for expert, ctx in zip(self.experts, contexts):
            if ctx is None:
                outs.append(repeat(self.null, "d -> b t d", b=x.shape[0], t=x.shape[1]))
            else:
                outs.append(expert(x, ctx))
        outs = torch.stack(outs)
        gate = self.gate(x).softmax(dim=-1)
        return x + torch.einsum("b t e, b e t d -> b t d", gate, outs)


if __name__ == "__main__":
    mix = ModalityMixture(32, [20, 12, 8])
    ctx = [torch.randn(2, 9, 20), None, torch.randn(2, 5, 8)]
    print(mix(torch.randn(2, 6, 32), ctx).shape)
