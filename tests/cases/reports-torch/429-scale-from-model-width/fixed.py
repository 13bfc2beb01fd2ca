import torch
from torch import nn
from einops import rearrange


class SelfAttention(nn.Module):
    def __init__(self, dim, heads = 8, dim_head = 64):
        super().__init__()
        inner = dim_head * heads
        self.heads = heads
        self.scale = dim_head ** -0.5
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, inner * 3, bias = False)
        self.out = nn.Linear(inner, dim)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).chunk(3, dim = -1)
        q, k, v = [rearrange(t, 'b n (h d) -> b h n d', h = self.heads) for t in (q, k, v)]
        dots = torch.einsum('bhid,bhjd->bhij', q, k) * self.scale
        y = torch.einsum('bhij,bhjd->bhid', dots.softmax(dim = -1), v)
        return x + self.out(rearrange(y, 'b h n d -> b n (h d)'))


class FeedForward(nn.Module):
    def __init__(self, dim, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, x):
        return x + self.net(x)


def encoder(dim, depth, heads, dim_head, mlp_dim):
    return nn.Sequential(*[nn.Sequential(SelfAttention(dim, heads, dim_head), FeedForward(dim, mlp_dim)) for _ in range(depth)])


if __name__ == '__main__':
    enc = encoder(dim = 1024, depth = 2, heads = 16, dim_head = 64, mlp_dim = 2048)
    print(enc(torch.randn(2, 65, 1024)).shape)
