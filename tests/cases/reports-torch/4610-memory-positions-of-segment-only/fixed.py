import torch
import torch.nn as nn


def sinusoid(pos, dim):
    inv = 10000 ** -(torch.arange(0, dim, 2.0) / dim)
    ang = pos[:, None] * inv
    return torch.cat([ang.sin(), ang.cos()], dim=-1)


def rel_shift(x):
    b, h, i, j = x.shape
    x = torch.cat([x.new_zeros(b, h, i, 1), x], dim=-1).view(b, h, j + 1, i)
    return x[:, :, 1:].reshape(b, h, i, j)


class RelAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim, self.heads, self.dh = dim, heads, dim // heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wkv = nn.Linear(dim, 2 * dim, bias=False)
        self.wr = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.u = nn.Parameter(torch.randn(heads, self.dh) * 0.1)
        self.v = nn.Parameter(torch.randn(heads, self.dh) * 0.1)

    def forward(self, w, mems):
        b, qlen, _ = w.shape
        cat = torch.cat([mems, w], dim=1)
        klen = cat.size(1)
        q = self.wq(w).view(b, qlen, self.heads, self.dh)
        k, val = self.wkv(cat).view(b, klen, 2, self.heads, self.dh).unbind(2)
        r = self.wr(sinusoid(torch.arange(klen - 1, -1, -1.0), self.dim))
        r = r.view(-1, self.heads, self.dh)

        ac = torch.einsum("bihd,bjhd->bhij", q + self.u, k)
        bd = rel_shift(torch.einsum("bihd,jhd->bhij", q + self.v, r))
        score = (ac + bd) / self.dh ** 0.5
        future = torch.ones(qlen, klen, dtype=torch.bool).triu(1 + klen - qlen)
        prob = score.masked_fill(future, float("-inf")).softmax(-1)
        out = torch.einsum("bhij,bjhd->bihd", prob, val)
        return self.wo(out.reshape(b, qlen, self.dim))


if __name__ == "__main__":
    layer = RelAttention(32, 4)
    print(layer(torch.randn(2, 6, 32), torch.randn(2, 10, 32)).shape)
