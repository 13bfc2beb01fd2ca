import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.attn = nn.Linear(enc_dim + dec_dim, dec_dim)
        self.v = nn.Linear(dec_dim, 1, bias=False)

    def forward(self, h, enc):
        rep = h.unsqueeze(1).repeat(1, enc.size(1), 1)
        e = self.v(torch.tanh(self.attn(torch.cat([rep, enc], dim=2)))).squeeze(2)
        return e.softmax(dim=1)


class Seq2Seq(nn.Module):
    def __init__(self, n_src, n_tgt, emb=32, enc=48, dec=64, sos=1):
        super().__init__()
        self.sos = sos
        self.src_emb = nn.Embedding(n_src, emb)
        self.tgt_emb = nn.Embedding(n_tgt, emb)
        self.encoder = nn.GRU(emb, enc, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * enc, dec)
        self.attention = Attention(2 * enc, dec)
        self.cell = nn.GRUCell(emb + 2 * enc, dec)
        self.fc = nn.Linear(dec + 2 * enc, n_tgt)

    def step(self, token, h, enc):
        emb = self.tgt_emb(token)
        a = self.attention(h, enc)
        ctx = torch.bmm(a.unsqueeze(1), enc).squeeze(1)
        h = self.cell(torch.cat([emb, ctx], dim=1), h)
        return self.fc(torch.cat([h, ctx], dim=1)), h

    @torch.no_grad()
    def greedy(self, src, max_len=20):
        enc, hn = self.encoder(self.src_emb(src))
        h = torch.tanh(self.bridge(torch.cat([hn[0], hn[1]], dim=1)))
        token = torch.full((src.size(0),), self.sos, dtype=torch.long, device=src.device)
        result = []
        for _ in range(max_len):
            logits, h = self.step(token, h, enc)
            token = logits.argmax(dim=1)
            result.append(token)
        return torch.stack(result, dim=1)
