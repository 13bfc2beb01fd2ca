import math
import torch
from torch import nn


class PtrAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.w_ref = nn.Linear(dim, dim)
        self.w_q = nn.Linear(dim, dim)
        self.v = nn.Parameter(torch.empty(dim).uniform_(-1 / math.sqrt(dim), 1 / math.sqrt(dim)))

    def forward(self, query, ref, visited):
        u = torch.tanh(self.w_ref(ref) + self.w_q(query).unsqueeze(1)) @ self.v
        return u.masked_fill(visited, float("-inf"))


class TSPSolver(nn.Module):
    def __init__(self, d_in=2, dim=128):
        super().__init__()
        self.embed = nn.Linear(d_in, dim)
        self.encoder = nn.LSTM(dim, dim, batch_first=True)
        self.cell = nn.LSTMCell(dim, dim)
        self.pointer = PtrAttention(dim)
        self.start = nn.Parameter(torch.zeros(dim))

    def forward(self, cities):
        b, n, _ = cities.shape
        emb = self.embed(cities)                    # b n d
        ref, (h, c) = self.encoder(emb)
        h, c = h[0], c[0]
        visited = torch.zeros(b, n, dtype=torch.bool)
        x = self.start.expand(b, -1)
        tour, logps = [], []
        for _ in range(n):
            h, c = self.cell(x, (h, c))
            logp = self.pointer(h, ref, visited).log_softmax(dim=1)
            choice = logp.argmax(dim=1)             # b
            tour.append(choice)
            logps.append(logp.gather(1, choice[:, None]).squeeze(1))
            visited = visited.scatter(1, choice[:, None], True)
            x = emb[torch.arange(b), choice]
        return torch.stack(tour, dim=1), torch.stack(logps, dim=1).sum(dim=1)


if __name__ == "__main__":
    torch.manual_seed(0)
    tour, logp = TSPSolver()(torch.rand(5, 10, 2))
    print(tour, logp.shape)
