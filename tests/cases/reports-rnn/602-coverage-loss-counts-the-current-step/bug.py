import torch
import torch.nn as nn
import torch.nn.functional as F


class CoverageAttention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.W_h = nn.Linear(hidden, hidden, bias=False)
        self.W_s = nn.Linear(hidden, hidden)
        self.w_c = nn.Linear(1, hidden, bias=False)
        self.v = nn.Linear(hidden, 1, bias=False)

    def forward(self, s, memory, pad, coverage):
        feat = self.W_h(memory) + self.W_s(s).unsqueeze(1) + self.w_c(coverage.unsqueeze(2))
        score = self.v(torch.tanh(feat)).squeeze(2)
        attn = F.softmax(score.masked_fill(pad, float("-inf")), dim=1)
        context = torch.bmm(attn.unsqueeze(1), memory).squeeze(1)
        return context, attn, coverage + attn


class Summarizer(nn.Module):
    def __init__(self, vocab, emb, hidden, cov_weight=1.0):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.encoder = nn.GRU(emb, hidden, batch_first=True)
        self.cell = nn.GRUCell(emb + hidden, hidden)
        self.attention = CoverageAttention(hidden)
        self.out = nn.Linear(2 * hidden, vocab)
        self.cov_weight = cov_weight

    def forward(self, src, tgt):
        memory, h = self.encoder(self.embed(src))
        s, pad = h[0], src.eq(0)
        context = memory.new_zeros(memory.size(0), memory.size(2))
        coverage = memory.new_zeros(src.size())
        nll, cov = [], []
        for t in range(tgt.size(1) - 1):
            s = self.cell(torch.cat((self.embed(tgt[:, t]), context), 1), s)
            context, attn, next_coverage = self.attention(s, memory, pad, coverage)
            logits = self.out(torch.cat((s, context), 1))
            nll.append(F.cross_entropy(logits, tgt[:, t + 1], ignore_index=0))
            cov.append(torch.min(attn, next_coverage).sum(1).mean())
            coverage = next_coverage
        return torch.stack(nll).mean() + self.cov_weight * torch.stack(cov).mean()


if __name__ == "__main__":
    model = Summarizer(200, 24, 32)
    src, tgt = torch.randint(1, 200, (4, 18)), torch.randint(1, 200, (4, 7))
    loss = model(src, tgt)
    loss.backward()
    print(float(loss))
