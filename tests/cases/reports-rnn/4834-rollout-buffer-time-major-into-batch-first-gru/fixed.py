import torch
import torch.nn as nn


class RecurrentPolicy(nn.Module):
    """GRU memory with attention over its past states, then actor and critic."""

    def __init__(self, obs_dim, n_actions, hidden=64):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(obs_dim, hidden), nn.Tanh())
        self.gru = nn.GRU(hidden, hidden, batch_first=True)
        self.q = nn.Linear(hidden, hidden)
        self.actor = nn.Linear(2 * hidden, n_actions)
        self.critic = nn.Linear(2 * hidden, 1)

    def forward(self, obs):
        h, _ = self.gru(self.enc(obs))
        steps = h.size(1)
        score = self.q(h) @ h.transpose(1, 2) / h.size(-1) ** 0.5
        future = torch.ones(steps, steps, dtype=torch.bool, device=h.device).triu(1)
        past = score.masked_fill(future, -1e9).softmax(-1) @ h
        feat = torch.cat([h, past], -1)
        return self.actor(feat), self.critic(feat).squeeze(-1)


class RolloutBuffer:
    def __init__(self):
        self.obs, self.actions, self.returns = [], [], []

    def add(self, obs, action, ret):
        """one step of all environments: (n_envs, obs_dim), (n_envs,), (n_envs,)"""
        self.obs.append(obs)
        self.actions.append(action)
        self.returns.append(ret)

    def tensors(self):
        return torch.stack(self.obs, 1), torch.stack(self.actions, 1), torch.stack(self.returns, 1)


def a2c_loss(policy, buffer, vf_coef=0.5):
    obs, actions, returns = buffer.tensors()
    logits, values = policy(obs)
    dist = torch.distributions.Categorical(logits=logits)
    adv = (returns - values).detach()
    return -(dist.log_prob(actions) * adv).mean() + vf_coef * (returns - values).pow(2).mean()
