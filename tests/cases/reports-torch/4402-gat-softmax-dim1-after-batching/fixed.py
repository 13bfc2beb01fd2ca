import torch
import torch.nn as nn


class NeighbourAttention(nn.Module):
    """Every sensor averages its neighbours, the weights come from both feature vectors."""

    def __init__(self, n_in, n_out, slope=0.2):
        super().__init__()
        self.project = nn.Linear(n_in, n_out, bias=False)
        self.score_own = nn.Linear(n_out, 1, bias=False)
        self.score_other = nn.Linear(n_out, 1, bias=False)
        self.act = nn.LeakyReLU(slope)

    def forward(self, signal, adjacency):
        feats = self.project(signal)
        own = self.score_own(feats)
        other = self.score_other(feats)
        logits = self.act(own + other.transpose(1, 2))
        logits = logits.masked_fill(adjacency == 0, -1e12)
        coef = torch.softmax(logits, dim=2)
        return nn.functional.elu(coef @ feats)


class SensorNetwork(nn.Module):
    def __init__(self, n_in, width=8, branches=4):
        super().__init__()
        self.branches = nn.ModuleList(NeighbourAttention(n_in, width) for _ in range(branches))
        self.readout = nn.Linear(width * branches, 1)

    def forward(self, signal, adjacency):
        mixed = [branch(signal, adjacency) for branch in self.branches]
        return self.readout(torch.cat(mixed, dim=-1)).squeeze(-1)


if __name__ == "__main__":
    net = SensorNetwork(n_in=5)
    roads = ((torch.rand(20, 20) > 0.7).float() + torch.eye(20)).clamp(max=1)
    print(net(torch.randn(3, 20, 5), roads).shape)
