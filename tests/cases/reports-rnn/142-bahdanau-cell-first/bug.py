import torch
import torch.nn as nn


class BahdanauDecoder(nn.Module):
    """RNNsearch decoder: e_ij = a(s_{i-1}, h_j)."""

    def __init__(self, n_tokens, emb, enc_dim, dec_dim, att_dim):
        super().__init__()
        self.emb = nn.Embedding(n_tokens, emb)
        self.cell = nn.GRUCell(emb + enc_dim, dec_dim)
        self.W_a = nn.Linear(dec_dim, att_dim)
        self.U_a = nn.Linear(enc_dim, att_dim)
        self.v_a = nn.Linear(att_dim, 1)
        self.out = nn.Linear(dec_dim + enc_dim, n_tokens)

    def attend(self, s, h):
        e = self.v_a(torch.tanh(self.W_a(s)[:, None] + self.U_a(h)))
        a = torch.softmax(e, dim=1)
        return (a * h).sum(dim=1)

    def forward(self, targets, s, h):
        logits = []
        context = torch.zeros_like(h[:, 0])
        for i in range(targets.size(1)):
            y = self.emb(targets[:, i])
            s = self.cell(torch.cat([y, context], dim=1), s)
            context = self.attend(s, h)
            logits.append(self.out(torch.cat([s, context], dim=1)))
        return torch.stack(logits, dim=1)
