import torch
import torch.nn as nn


class EntityEncoder(nn.Module):
    def __init__(self, obs_dim, dim, heads):
        super().__init__()
        self.inp = nn.Linear(obs_dim, dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)

    def forward(self, entities, dead):
        x = self.inp(entities)
        y, _ = self.attn(x, x, x, key_padding_mask=dead, need_weights=False)
        x = self.norm(x + y).masked_fill(dead.unsqueeze(-1), 0.0)
        return x.sum(dim=1) / (~dead).sum(dim=1, keepdim=True)


class DuelingAgent(nn.Module):
    """Q(s, a) = V(s) + A(s, a) - mean over a of A(s, a)"""

    def __init__(self, obs_dim, n_actions, dim=64, heads=4):
        super().__init__()
        self.encoder = EntityEncoder(obs_dim, dim, heads)
        self.value = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 1))
        self.advantage = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, n_actions))

    def forward(self, entities, dead):
        state = self.encoder(entities, dead)
        v = self.value(state)
        a = self.advantage(state)
        return v + a - a.mean(dim=1, keepdim=True)

    @torch.no_grad()
    def act(self, entities, dead, legal):
        q = self(entities, dead)
        return q.masked_fill(~legal, -1e9).argmax(dim=-1)
