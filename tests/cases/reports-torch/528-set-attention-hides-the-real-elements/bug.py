import math

import torch
import torch.nn as nn


class MAB(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.h = heads
        self.fc_q, self.fc_k, self.fc_v, self.fc_o = (nn.Linear(dim, dim) for _ in range(4))

    def heads(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, X, Y, valid=None):
        q, k, v = self.heads(self.fc_q(X)), self.heads(self.fc_k(Y)), self.heads(self.fc_v(Y))
        logits = q @ k.mT / math.sqrt(q.size(-1))
        if valid is not None:
            logits = logits.masked_fill(valid[:, None, None, :], float("-inf"))
        O = X + (logits.softmax(-1) @ v).transpose(1, 2).flatten(2)
        return O + torch.relu(self.fc_o(O))


class PMA(nn.Module):
    """pooling by multihead attention with one seed"""

    def __init__(self, dim, heads):
        super().__init__()
        self.S = nn.Parameter(torch.randn(1, 1, dim))
        self.mab = MAB(dim, heads)

    def forward(self, X, valid):
        return self.mab(self.S.expand(len(X), -1, -1), X, valid).squeeze(1)


if __name__ == "__main__":
    n_points = torch.tensor([7, 12, 3])
    valid = torch.arange(16)[None, :] < n_points[:, None]
    print(PMA(32, 4)(torch.randn(3, 16, 32), valid).shape)
