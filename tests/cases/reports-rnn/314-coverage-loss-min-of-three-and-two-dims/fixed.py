import torch
from torch import nn
import torch.nn.functional as F


class PointerDecoder(nn.Module):
    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.cell = nn.LSTMCell(emb + hid, hid)
        self.Wa = nn.Linear(hid, hid, bias=False)
        self.Wv = nn.Linear(2 * hid, vocab)

    def attention(self, h, memory, coverage):
        score = self.Wa(h).unsqueeze(1) @ memory.transpose(1, 2) - coverage.unsqueeze(1)
        attn = F.softmax(score, dim=-1)
        ctx = attn @ memory
        return ctx.squeeze(1), attn

    def forward(self, target, memory, state, lam=1.0):
        B, T, _ = memory.shape
        coverage = memory.new_zeros(B, T)
        ctx = memory.mean(1)
        nll, cov_loss = 0, 0
        for i in range(target.size(1) - 1):
            state = self.cell(torch.cat([self.emb(target[:, i]), ctx], -1), state)
            ctx, attn = self.attention(state[0], memory, coverage)
            logits = self.Wv(torch.cat([state[0], ctx], -1))
            nll = nll + F.cross_entropy(logits, target[:, i + 1])
            cov_loss = cov_loss + torch.min(attn.squeeze(1), coverage).sum() / B
            coverage = coverage + attn.squeeze(1)
        return nll, lam * cov_loss


if __name__ == "__main__":
    B, T, hid = 6, 50, 32
    dec = PointerDecoder(500, 16, hid)
    memory = torch.randn(B, T, hid)
    state = torch.zeros(B, hid), torch.zeros(B, hid)
    nll, cov = dec(torch.randint(0, 500, (B, 9)), memory, state)
    print(f'nll {nll:.3f} coverage {cov:.3f}')
