import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.emb = nn.Embedding(n_words, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, src):
        return self.rnn(self.emb(src))


class Decoder(nn.Module):
    def __init__(self, n_words, dim):
        super().__init__()
        self.emb = nn.Embedding(n_words, dim)
        self.cell = nn.GRUCell(2 * dim, dim)
        self.score = nn.Linear(dim, dim, bias=False)
        self.out = nn.Linear(2 * dim, n_words)

    def step(self, y, h, memory, pad):
        scores = torch.bmm(memory, self.score(h).unsqueeze(2)).squeeze(2)
        scores = scores.masked_fill(pad, float("-inf"))
        weights = scores.softmax(dim=1)
        ctx = torch.bmm(weights.unsqueeze(1), memory).squeeze(1)
        h = self.cell(torch.cat([self.emb(y), ctx], dim=1), h)
        return self.out(torch.cat([h, ctx], dim=1)).log_softmax(dim=1), h


def beam_search(enc, dec, src, beam=3, steps=4, bos=1):
    batch = src.size(0)
    pad = src.eq(0).repeat_interleave(beam, dim=0)
    memory, h = enc(src)
    memory = memory.repeat_interleave(beam, dim=0)
    h = h.squeeze(0).repeat_interleave(beam, dim=0)

    y = torch.full((batch * beam,), bos)
    total = torch.zeros(batch, beam)
    total[:, 1:] = -1e9
    for _ in range(steps):
        logp, h = dec.step(y, h, memory, pad)
        cand = (total.unsqueeze(2) + logp.view(batch, beam, -1)).view(batch, -1)
        total, idx = cand.topk(beam, dim=1)
        n = logp.size(1)
        y = (idx % n).view(-1)
        rows = torch.arange(batch).unsqueeze(1) * beam + idx // n
        h = h[rows.view(-1)]
    return total


if __name__ == "__main__":
    src = torch.tensor([[4, 7, 9, 3, 5], [6, 2, 8, 0, 0]])
    print(beam_search(Encoder(20, 8), Decoder(15, 8), src))
