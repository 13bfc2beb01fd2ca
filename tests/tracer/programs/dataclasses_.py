# At least 5 places are known.
# ruff: noqa
"""Configurations as dataclasses, with defaults, computed properties and field()."""

from dataclasses import dataclass, field

import numpy as np


@dataclass
class Config:
    d_model: int = 12
    n_heads: int = 3
    sizes: list = field(default_factory=list)

    @property
    def d_k(self):
        return self.d_model // self.n_heads


@dataclass
class Wide(Config):
    d_model: int = 24
    extra: int = 2


def weights(config):
    W = np.ones((config.d_model, config.n_heads * config.d_k))
    return W


config = Config()
W = np.ones((config.d_model, config.d_k))
other = Config(20, n_heads=4)
V = np.ones((other.d_model, other.d_k))
X = weights(other)
wide = Wide()
U = np.ones((wide.d_model, wide.extra))
first = Wide(8, 2, [], 5)
T = np.ones((first.d_model, first.extra))
