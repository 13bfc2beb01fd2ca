import torch
import torch.nn as nn
import torch.nn.functional as F


class MemoryHop(nn.Module):
    """One end-to-end memory hop: u -> u + sum_i p_i c_i. Empty memory slots have id 0 everywhere."""

    def __init__(self, vocab, dim):
        super().__init__()
        self.A = nn.Embedding(vocab, dim, padding_idx=0)
        self.C = nn.Embedding(vocab, dim, padding_idx=0)
        self.H = nn.Linear(dim, dim)

    def forward(self, u, story):
        m = self.A(story).sum(2)
        c = self.C(story).sum(2)
        empty = story.eq(0).all(dim=2)
        score = torch.bmm(m, u.unsqueeze(2)).squeeze(2)
        score.masked_fill(empty, float("-inf"))
        p = F.softmax(score, dim=1)
        o = torch.bmm(p.unsqueeze(1), c).squeeze(1)
        return self.H(u) + o, p


class MemN2N(nn.Module):
    def __init__(self, vocab, dim=20, hops=3):
        super().__init__()
        self.B = nn.GRU(dim, dim, batch_first=True)
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.hops = nn.ModuleList(MemoryHop(vocab, dim) for _ in range(hops))
        self.W = nn.Linear(dim, vocab)

    def forward(self, story, question):
        _, u = self.B(self.emb(question))
        u = u.squeeze(0)
        for hop in self.hops:
            u, p = hop(u, story)
        return self.W(u), p


if __name__ == "__main__":
    story = torch.randint(1, 60, (2, 10, 6))
    story[0, 3:] = 0
    out, p = MemN2N(60)(story, torch.randint(1, 60, (2, 5)))
    print(out.shape, p[0])
