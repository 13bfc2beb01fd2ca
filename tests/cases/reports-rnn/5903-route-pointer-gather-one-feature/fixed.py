import torch
import torch.nn as nn


class RouteDecoder(nn.Module):
    """Chooses the stops of a delivery round one after the other."""

    def __init__(self, dim: int):
        super().__init__()
        self.embed = nn.Linear(3, dim)          # x, y, demand
        self.graph = nn.Linear(dim, dim, bias=False)
        self.cell = nn.GRUCell(dim, dim)
        self.key = nn.Linear(dim, dim, bias=False)
        self.start = nn.Parameter(torch.randn(dim))

    def forward(self, stops: torch.Tensor):
        nodes = self.embed(stops)
        bs, n, dim = nodes.shape
        keys = self.key(nodes)
        fixed = self.graph(nodes.mean(dim=1))
        h = nodes.new_zeros(bs, dim)
        last = self.start.expand(bs, dim)
        visited = torch.zeros(bs, n, dtype=torch.bool)
        tour, log_p = [], []
        for _ in range(n):
            h = self.cell(fixed + last, h)
            logits = (keys @ h.unsqueeze(-1)).squeeze(-1) / dim ** 0.5
            logp = logits.masked_fill(visited, float("-inf")).log_softmax(dim=-1)
            pick = logp.argmax(dim=-1)
            log_p.append(logp.gather(1, pick.unsqueeze(1)).squeeze(1))
            visited = visited.scatter(1, pick.unsqueeze(1), True)
            last = nodes.gather(1, pick.view(bs, 1, 1).expand(-1, -1, dim)).squeeze(1)
            tour.append(pick)
        return torch.stack(tour, dim=1), torch.stack(log_p, dim=1)


if __name__ == "__main__":
    dec = RouteDecoder(32)
    tour, log_p = dec(torch.rand(16, 20, 3))
    print(tour[0], log_p.sum(1).mean())
