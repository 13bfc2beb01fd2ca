import torch
import torch.nn as nn
import torch.nn.functional as F


def kernel_features(t, proj, eps=1e-4):
    """Positive features, (..., n, d) -> (..., n, m)"""
    t = t * t.shape[-1] ** -0.25
    wx = t @ proj.t()
    norm = t.pow(2).sum(dim=-1, keepdim=True) / 2
    return torch.exp(wx - norm - wx.amax(dim=-1, keepdim=True)) * proj.shape[0] ** -0.5 + eps


def linear_attention(q, k, v):
    D_inv = 1.0 / torch.einsum("...nd,...d->...n", q, k.sum(dim=-2))
    context = torch.einsum("...nd,...ne->...de", k, v)
    return torch.einsum("...de,...nd,...n->...ne", context, q, D_inv)


class FastAttention(nn.Module):
    def __init__(self, dim, heads=4, nb_features=32):
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.register_buffer("proj", torch.randn(nb_features, dim // heads))

    def forward(self, x):
        b, n, dim = x.shape
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = (t.reshape(b, n, self.heads, -1).transpose(1, 2) for t in (q, k, v))
        q, k = kernel_features(q, self.proj), kernel_features(k, self.proj)
        out = linear_attention(q, k, v)
        return self.to_out(out.transpose(1, 2).reshape(b, n, dim))


if __name__ == "__main__":
    attn = FastAttention(64)
    print(attn(torch.randn(1, 500, 64)).shape)
