import torch
import torch.nn as nn
from einops import rearrange


class LinearAttention2d(nn.Module):
    def __init__(self, dim, heads=4, dim_head=32):
        super().__init__()
        self.scale = dim_head ** -0.5
        self.heads = heads
        self.to_qkv = nn.Conv2d(dim, heads * dim_head * 3, 1, bias=False)
        self.to_out = nn.Sequential(nn.Conv2d(heads * dim_head, dim, 1), nn.GroupNorm(1, dim))

    def forward(self, x):
        h, w = x.shape[-2:]
        qkv = self.to_qkv(x).chunk(3, dim=1)
        q, k, v = map(lambda t: rearrange(t, 'b (h c) x y -> b h (x y) c', h=self.heads), qkv)

        # queries over the features, keys over the pixels
        q = q.softmax(dim=-1)
        k = k.softmax(dim=-2)
        q = q * self.scale

        context = torch.einsum('bhnd,bhne->bhde', k, v)
        out = torch.einsum('bhnd,bhde->bhne', q, context)
        out = rearrange(out, 'b h (x y) c -> b (h c) x y', x=h, y=w)
        return self.to_out(out)


print(LinearAttention2d(64)(torch.randn(2, 64, 24, 24)).shape)
