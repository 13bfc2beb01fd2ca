# At least 30 places are known.
# ruff: noqa
"""Sequentials and dicts of layers from pairs, keywords, names and slices; slices up to a size."""

import collections
from collections import OrderedDict

import torch
from torch import nn


class Layers(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        named = [("fc1", nn.Linear(d, k)), ("act", nn.GELU()), ("fc2", nn.Linear(k, 7))]
        self.pairs = nn.Sequential(OrderedDict(named))
        self.tuples = nn.Sequential(OrderedDict((("fc1", nn.Linear(d, k)), ("act", nn.GELU()))))
        self.names = nn.Sequential(collections.OrderedDict(fc1=nn.Linear(d, k), act=nn.GELU()))
        layers = OrderedDict()
        layers["fc1"] = nn.Linear(d, k)
        layers.update(fc2=nn.Linear(k, 5))
        layers.update([("fc3", nn.Linear(5, 3))])
        self.updated = nn.Sequential(layers)
        self.heads = nn.ModuleDict([["x", nn.Linear(d, 3)], ["y", nn.Linear(d, 4)]])

    def forward(self, x):
        b, t, _ = x.shape
        pairs = self.pairs(x)
        tuples = self.tuples(x)
        names = self.names(x)
        updated = self.updated(x)
        head = self.heads["y"](x)
        first = self.pairs.fc1(x)
        begin = self.pairs[:2](x)
        end = self.pairs[-1](begin)
        return pairs, tuples, names, updated, head, first, end


class Positions(nn.Module):
    def __init__(self, d, longest):
        super().__init__()
        self.table = nn.Parameter(torch.zeros(1, 100, d))
        self.register_buffer("tril", torch.tril(torch.ones(longest, longest)))
        self.register_buffer("bias", torch.tril(torch.ones(1, 1, 10, 10)))

    def forward(self, x):
        b, t, d = x.shape
        x = x + self.table[:, :t]
        scores = x @ x.transpose(1, 2)
        scores = scores.masked_fill(self.tril[:t, :t] == 0, float("-inf"))
        causal = self.bias[:, :, :t, :t] == 0
        heads = scores.unsqueeze(1).masked_fill(causal, float("-inf"))
        weights = heads.softmax(-1)
        return weights[:, 0] @ x


made = dict([("a", torch.ones(2, 3)), ("b", torch.ones(4))], c=torch.ones(5))
b = made["b"]
c = made["c"]
results = Layers(6, 8)(torch.ones(2, 3, 6))
last = results[-1]
context = Positions(6, 12)(torch.ones(2, 5, 6))
one = Positions(6, 12)(torch.ones(2, 1, 6))
