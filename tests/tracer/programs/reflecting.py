# At least 3 places are known.
# ruff: noqa
"""Layers made like another one, by what it is an instance of."""

import torch
from torch import nn


class Adapter(nn.Module):
    def __init__(self, target, rank):
        super().__init__()
        self.target = target
        if isinstance(target, (nn.Conv1d, nn.Conv2d)):
            kind = type(target)
            self.down = kind(target.in_channels, rank, target.kernel_size, bias=False)
            self.up_proj = kind(rank, target.out_channels, 1)
        else:
            self.down = nn.Linear(target.in_features, rank)
            self.up_proj = nn.Linear(rank, target.out_features)

    def forward(self, x):
        low = self.down(x)
        high = self.up_proj(low)
        return self.target(x) + high


features = Adapter(nn.Linear(6, 10), 2)
y = features(torch.rand(3, 4, 6))
channels = Adapter(nn.Conv1d(6, 10, 1), 2)
z = channels(torch.rand(3, 6, 9))
other = type(features)(nn.Linear(6, 10), 4)
w = other(torch.rand(3, 6))
