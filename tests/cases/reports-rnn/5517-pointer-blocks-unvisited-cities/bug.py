import torch
import torch.nn as nn


class PointerDecoder(nn.Module):
    """Visits every city once; the pointer may not go back."""

    def __init__(self, d_city, d_hid):
        super().__init__()
        self.inp = nn.Linear(2, d_city)
        self.enc = nn.LSTM(d_city, d_hid, batch_first=True)
        self.dec = nn.LSTMCell(d_city, d_hid)
        self.W1 = nn.Linear(d_hid, d_hid, bias=False)
        self.W2 = nn.Linear(d_hid, d_hid, bias=False)
        self.v = nn.Linear(d_hid, 1, bias=False)
        self.start = nn.Parameter(torch.zeros(d_city))

    def forward(self, cities):
        batch, n, _ = cities.shape
        emb = self.inp(cities)
        refs, (h, c) = self.enc(emb)
        h, c = h[0], c[0]
        keys = self.W1(refs)

        x = self.start.expand(batch, -1)
        visited = torch.zeros(batch, n, dtype=torch.bool)
        tour, log_p = [], 0.0
        for _ in range(n):
            h, c = self.dec(x, (h, c))
            u = self.v(torch.tanh(keys + self.W2(h).unsqueeze(1))).squeeze(2)
            u = u.masked_fill(~visited, -1e9)
            logp = torch.log_softmax(u, dim=1)
            step_p, nxt = logp.max(dim=1)
            log_p = log_p + step_p
            visited = visited.scatter(1, nxt.unsqueeze(1), True)
            x = emb[torch.arange(batch), nxt]
            tour.append(nxt)
        return torch.stack(tour, dim=1), log_p


if __name__ == "__main__":
    tour, log_p = PointerDecoder(8, 16)(torch.rand(3, 6, 2))
    print(tour)
