import math

import torch
from torch import nn


def soft_lookup(query, keys, values, keep=None):
    """query (..., n, d), keys and values (..., m, d)"""
    keys = keys.transpose(-2, -1)
    sims = query @ keys / math.sqrt(keys.size(-1))
    if keep is not None:
        sims = sims.masked_fill(~keep, -1e9)
    weights = torch.softmax(sims, dim=-1)
    return weights @ values, weights


class DialogueReader(nn.Module):
    """The reply so far reads the turns of the dialogue."""

    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.wq, self.wk, self.wv, self.wo = (nn.Linear(size, size) for _ in range(4))

    def cut(self, t):
        n, length, size = t.shape
        return t.reshape(n, length, self.heads, size // self.heads).transpose(1, 2)

    def forward(self, reply, turns, is_turn):
        q, k, v = self.cut(self.wq(reply)), self.cut(self.wk(turns)), self.cut(self.wv(turns))
        read, _ = soft_lookup(q, k, v, is_turn[:, None, None, :])
        return reply + self.wo(read.transpose(1, 2).flatten(2))


if __name__ == "__main__":
    reader = DialogueReader(64, 4)
    is_turn = torch.arange(30)[None] < torch.tensor([30, 12])[:, None]
    print(reader(torch.randn(2, 11, 64), torch.randn(2, 30, 64), is_turn).shape)
