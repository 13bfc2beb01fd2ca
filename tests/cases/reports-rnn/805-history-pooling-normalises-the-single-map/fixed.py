import torch
import torch.nn as nn


class TemporalAttentionPooling(nn.Module):
    def __init__(self, features_in):
        super().__init__()
        self.attention_pooling = nn.Sequential(
            nn.Conv1d(features_in, 1, kernel_size=1),
            nn.Softmax(dim=2),
        )

    def forward(self, history):
        """history: [batch_size, history_len, feature_size]"""
        x = history.transpose(1, 2)
        weights = self.attention_pooling(x)
        return (x * weights).sum(dim=2)


class LamaPooling(nn.Module):
    """last, average, max and attention pooling over the history of observations"""

    def __init__(self, features_in):
        super().__init__()
        self.attn = TemporalAttentionPooling(features_in)
        self.features_out = features_in * 4

    def forward(self, history):
        return torch.cat((history[:, -1], history.mean(dim=1), history.amax(dim=1), self.attn(history)), dim=1)


class LamaActor(nn.Module):
    def __init__(self, observation_size, action_size, hidden=64):
        super().__init__()
        self.observation_net = nn.Sequential(nn.Linear(observation_size, hidden), nn.LayerNorm(hidden), nn.ReLU())
        self.memory = nn.GRU(hidden, hidden, batch_first=True)
        self.pooling = LamaPooling(hidden)
        self.head = nn.Sequential(nn.Linear(self.pooling.features_out, hidden), nn.ReLU(), nn.Linear(hidden, action_size), nn.Tanh())

    def forward(self, states):
        x, _ = self.memory(self.observation_net(states))
        return self.head(self.pooling(x))


if __name__ == "__main__":
    actor = LamaActor(41, 19)
    print(actor(torch.randn(8, 5, 41)).shape)
