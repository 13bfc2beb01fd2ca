import torch
import torch.nn as nn


class Seq2SeqAttn(nn.Module):
    def __init__(self, n_src, n_trg, d):
        super().__init__()
        self.src_emb = nn.Embedding(n_src, d, padding_idx=0)
        self.trg_emb = nn.Embedding(n_trg, d, padding_idx=0)
        self.enc = nn.GRU(d, d, batch_first=True)
        self.dec = nn.GRU(d, d, batch_first=True)
        self.W = nn.Linear(d, d, bias=False)
        self.mix = nn.Linear(2 * d, d)
        self.out = nn.Linear(d, n_trg)

    def attention(self, s, enc, mask):
        scores = torch.bmm(s, self.W(enc).transpose(1, 2))
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        return scores.softmax(dim=2)

    def forward(self, src, trg):
        mask = (src != 0).float()
        enc, h = self.enc(self.src_emb(src))
        s, _ = self.dec(self.trg_emb(trg), h)
        weights = self.attention(s, enc, mask)
        ctx = torch.bmm(weights, enc)
        return self.out(torch.tanh(self.mix(torch.cat([s, ctx], dim=2)))), weights


if __name__ == "__main__":
    src = torch.tensor([[5, 8, 2, 9], [7, 3, 0, 0]])
    logits, weights = Seq2SeqAttn(12, 10, 16)(src, torch.tensor([[1, 4, 6], [1, 5, 2]]))
    print(logits.shape, weights[1])
