import math

import torch
import torch.nn as nn


def attend(q, k, v, mask=None, drop=None):
    "q, k, v: (bs, heads, len, d)"
    energy = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
    if mask is not None:
        energy = energy.masked_fill(mask == 0, -1e9)
    alpha = energy.softmax(dim=-1)
    if drop is not None:
        alpha = drop(alpha)
    return alpha @ v, alpha


class MultiHeaded(nn.Module):
    def __init__(self, h, size, p_drop=0.1):
        super(MultiHeaded, self).__init__()
        assert size % h == 0
        self.h, self.size = h, size
        self.lin_in = nn.ModuleList([nn.Linear(size, size) for _ in range(3)])
        self.lin_out = nn.Linear(size, size)
        self.drop = nn.Dropout(p_drop)
        self.alpha = None  # kept for plotting

    def forward(self, query, key, value, mask=None):
        if mask is not None:
            mask = mask.unsqueeze(1)  # one mask for all heads
        bs = query.size(0)
        q, k, v = [
            f(t).view(bs, -1, self.h, self.size // self.h).transpose(1, 2)
            for f, t in zip(self.lin_in, (query, key, value))
        ]
        ctx, self.alpha = attend(q, k, v, mask, self.drop)
        # "concat"
        ctx = ctx.transpose(1, 2).view(bs, -1, self.size)
        return self.lin_out(ctx)


if __name__ == "__main__":
    mha = MultiHeaded(8, 512)
    x = torch.randn(2, 10, 512)
    subsequent = torch.tril(torch.ones(1, 10, 10))
    print(mha(x, x, x, subsequent).shape)
