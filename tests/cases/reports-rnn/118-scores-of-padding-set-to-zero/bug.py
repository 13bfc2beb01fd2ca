import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionWithContext(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.attn = nn.Linear(hidden_dim, hidden_dim)
        self.contx = nn.Linear(hidden_dim, 1, bias=False)

    def forward(self, inp, mask):
        # inp [B, T, H]; mask [B, T], 1 for real tokens
        u = torch.tanh(self.attn(inp))
        a = self.contx(u).squeeze(2)
        a = a * mask
        a = F.softmax(a, dim=1)
        s = (a.unsqueeze(2) * inp).sum(1)
        return a, s


class WordEncoder(nn.Module):
    def __init__(self, n_words, emb, hid):
        super().__init__()
        self.emb = nn.Embedding(n_words, emb)
        self.gru = nn.GRU(emb, hid // 2, bidirectional=True, batch_first=True)
        self.pool = AttentionWithContext(hid)

    def forward(self, x, mask):
        h, _ = self.gru(self.emb(x))
        return self.pool(h, mask)
