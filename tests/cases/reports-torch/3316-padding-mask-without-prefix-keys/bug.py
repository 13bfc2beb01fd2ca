import math
from dataclasses import dataclass

import torch
import torch.nn as nn


@dataclass
class Config:
    hidden: int = 256
    heads: int = 4
    prefix_len: int = 10


class PrefixSelfAttention(nn.Module):
    """Frozen BERT attention with trainable key/value prefixes (prefix tuning)."""

    def __init__(self, cfg: Config):
        super().__init__()
        self.heads, self.d = cfg.heads, cfg.hidden // cfg.heads
        self.query = nn.Linear(cfg.hidden, cfg.hidden)
        self.key = nn.Linear(cfg.hidden, cfg.hidden)
        self.value = nn.Linear(cfg.hidden, cfg.hidden)
        self.prefix_k = nn.Parameter(torch.randn(1, cfg.heads, cfg.prefix_len, self.d))
        self.prefix_v = nn.Parameter(torch.randn(1, cfg.heads, cfg.prefix_len, self.d))

    def transpose_for_scores(self, x):
        return x.view(*x.shape[:2], self.heads, self.d).permute(0, 2, 1, 3)

    def forward(self, hidden_states, attention_mask):
        bsz = hidden_states.size(0)
        q = self.transpose_for_scores(self.query(hidden_states))
        k = self.transpose_for_scores(self.key(hidden_states))
        v = self.transpose_for_scores(self.value(hidden_states))

        k = torch.cat([self.prefix_k.expand(bsz, -1, -1, -1), k], dim=2)
        v = torch.cat([self.prefix_v.expand(bsz, -1, -1, -1), v], dim=2)
        prefix_mask = attention_mask.new_ones(bsz, self.prefix_k.size(2))
        full_mask = torch.cat([prefix_mask, attention_mask], dim=1)

        scores = q @ k.transpose(-1, -2) / math.sqrt(self.d)
        extended = (1.0 - attention_mask[:, None, None, :].float()) * -10000.0
        probs = (scores + extended).softmax(dim=-1)
        return (probs @ v).transpose(1, 2).flatten(2)


if __name__ == "__main__":
    layer = PrefixSelfAttention(Config())
    mask = torch.ones(3, 24, dtype=torch.long)
    mask[1, 18:] = 0
    print(layer(torch.randn(3, 24, 256), mask).shape)
