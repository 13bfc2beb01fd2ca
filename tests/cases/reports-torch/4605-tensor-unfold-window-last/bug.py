import torch
import torch.nn as nn
import torch.nn.functional as F


class ChunkedLocalAttention(nn.Module):
    def __init__(self, dim, heads, chunk):
        super().__init__()
        self.h = heads
        self.chunk = chunk
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, dim * 2, bias=False)
        self.out = nn.Linear(dim, dim)

    def split(self, t):
        b, n, _ = t.shape
        return t.reshape(b, n, self.h, -1).transpose(1, 2)

    def look_around(self, t):
        # previous, own and next chunk of every chunk
        c = self.chunk
        t = F.pad(t, (0, 0, c, c))
        return t.unfold(2, 3 * c, c)

    def forward(self, x):
        b, n, d = x.shape
        q = self.split(self.to_q(x))
        k, v = map(self.split, self.to_kv(x).chunk(2, dim=-1))

        q = q.reshape(b, self.h, n // self.chunk, self.chunk, -1)
        k, v = self.look_around(k), self.look_around(v)

        sim = q @ k.transpose(-1, -2) / q.size(-1) ** 0.5
        pos = torch.arange(-self.chunk, n + self.chunk).unfold(0, 3 * self.chunk, self.chunk)
        outside = (pos < 0) | (pos >= n)
        sim = sim.masked_fill(outside[:, None, :], float("-inf"))
        y = sim.softmax(-1) @ v
        return self.out(y.reshape(b, self.h, n, -1).transpose(1, 2).reshape(b, n, d))


if __name__ == "__main__":
    layer = ChunkedLocalAttention(64, 4, 8)
    print(layer(torch.randn(2, 40, 64)).shape)
