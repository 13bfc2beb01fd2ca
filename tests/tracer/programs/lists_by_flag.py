# At least 27 places are known.
# ruff: noqa
"""Layers in a list that a flag makes longer, called with keywords that only some of them take."""

import torch
from torch import nn


class FeedForward(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.wi = nn.Linear(d, 4 * d)
        self.wo = nn.Linear(4 * d, d)

    def forward(self, x):
        hidden = torch.relu(self.wi(x))
        return x + self.wo(hidden)


class SelfAttention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.o = nn.Linear(d, d)

    def forward(self, x, mask=None, **kwargs):
        b, t, d = x.shape
        y = self.o(x)
        return y, y[:, :, 0]


class CrossAttention(nn.Module):
    def __init__(self, d, d_memory):
        super().__init__()
        self.o = nn.Linear(d_memory, d)

    def forward(self, x, memory, mask=None, **kwargs):
        y = self.o(memory)
        return x + y.mean(1, keepdim=True), y


class Block(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.is_decoder = config.is_decoder
        self.layer = nn.ModuleList()
        self.layer.append(SelfAttention(config.d_model))
        if self.is_decoder:
            self.layer.append(CrossAttention(config.d_model, config.d_memory))
        self.layer.append(FeedForward(config.d_model))

    def forward(self, x, memory=None, **kwargs):
        x, bias = self.layer[0](x, **kwargs)
        other = None
        if self.is_decoder and memory is not None:
            x, other = self.layer[1](x, memory=memory, **kwargs)
        x = self.layer[-1](x)
        return x, bias, other


class Config:
    def __init__(self, is_decoder):
        self.is_decoder = is_decoder
        self.d_model = 6
        self.d_memory = 5


decoded, bias, other = Block(Config(True))(torch.ones(2, 3, 6), torch.ones(2, 7, 5))
encoded, bias, _ = Block(Config(False))(torch.ones(2, 3, 6), torch.ones(2, 7, 5))
