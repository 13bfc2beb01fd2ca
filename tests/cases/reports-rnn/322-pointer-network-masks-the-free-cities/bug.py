import torch
import torch.nn as nn


class Pointer(nn.Module):
    def __init__(self, h):
        super().__init__()
        self.ref, self.q, self.v = nn.Linear(h, h, bias=False), nn.Linear(h, h), nn.Linear(h, 1, bias=False)

    def forward(self, d, enc):
        return self.v(torch.tanh(self.ref(enc) + self.q(d)[:, None])).squeeze(-1)


class PtrNetTSP(nn.Module):
    """greedy decoding, returns (tour, log-likelihood)"""

    def __init__(self, h=128):
        super().__init__()
        self.inp = nn.Linear(2, h)
        self.enc = nn.LSTM(h, h, batch_first=True)
        self.dec = nn.LSTMCell(h, h)
        self.ptr = Pointer(h)
        self.start = nn.Parameter(torch.randn(h) * .1)

    def forward(self, xy):
        bs, n, _ = xy.shape
        emb = self.inp(xy)
        enc, (h, c) = self.enc(emb)
        h, c = h[0], c[0]
        x = self.start.expand(bs, -1)
        free = torch.ones(bs, n, dtype=torch.bool)   # cities that can still be chosen
        tour, ll = [], 0.
        for _ in range(n):
            h, c = self.dec(x, (h, c))
            u = self.ptr(h, enc).masked_fill(free, -1e9)
            logp = u.log_softmax(-1)
            pick = logp.argmax(-1, keepdim=True)
            ll = ll + logp.gather(1, pick).squeeze(1)
            free = free.scatter(1, pick, False)
            x = emb.gather(1, pick.unsqueeze(-1).expand(-1, 1, emb.size(-1))).squeeze(1)
            tour.append(pick)
        return torch.cat(tour, 1), ll


if __name__ == "__main__":
    torch.manual_seed(0)
    tour, ll = PtrNetTSP()(torch.rand(3, 8, 2))
    print(tour)
