import torch
import torch.nn as nn


def normalized_adjacency(adj: torch.Tensor) -> torch.Tensor:
    """D^-1/2 (A + I) D^-1/2 of the (N, N) road graph, adj need not be symmetric in weight."""
    adj = adj + torch.eye(adj.size(0), device=adj.device)
    deg = adj.sum(dim=1)
    d_inv_sqrt = deg.pow(-0.5)
    return d_inv_sqrt * adj * d_inv_sqrt


class SpatialAttention(nn.Module):
    """Sensors attend to sensors; the road graph is added to the scores as a prior."""

    def __init__(self, adj, in_dim, dim=32):
        super().__init__()
        self.register_buffer("prior", normalized_adjacency(adj))
        self.q = nn.Linear(in_dim, dim)
        self.k = nn.Linear(in_dim, dim)
        self.v = nn.Linear(in_dim, dim)
        self.alpha = nn.Parameter(torch.tensor(1.0))

    def forward(self, x):
        # x: (batch, time, N, in_dim)
        score = self.q(x) @ self.k(x).transpose(-1, -2) / self.q.out_features ** 0.5
        attn = torch.softmax(score + self.alpha * self.prior, dim=-1)
        return attn @ self.v(x) + self.prior @ self.v(x)


if __name__ == "__main__":
    adj = (torch.rand(20, 20) < 0.2).float()
    layer = SpatialAttention(adj, in_dim=3)
    print(layer(torch.randn(8, 12, 20, 3)).shape)
