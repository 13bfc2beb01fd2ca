import torch
import torch.nn as nn


class GlobalAttentionDecoder(nn.Module):
    def __init__(self, n_vocab, n_emb, n_hid):
        super().__init__()
        self.embed = nn.Embedding(n_vocab, n_emb)
        self.rnn = nn.GRUCell(n_emb, n_hid)
        self.proj = nn.Linear(2 * n_hid, n_vocab)

    def forward(self, tok, h, enc):
        """tok: B, h: B x H, enc: T x B x H"""
        h = self.rnn(self.embed(tok), h)
        scores = (enc * h).sum(dim=2).t()
        alpha = scores.softmax(dim=1)
        ctx = (alpha.t().unsqueeze(2) * enc).sum(dim=0)
        return self.proj(torch.cat([h, ctx], dim=1)), h, alpha


if __name__ == '__main__':
    dec = GlobalAttentionDecoder(25, 6, 8)
    print(dec(torch.zeros(4, dtype=torch.long), torch.zeros(4, 8), torch.randn(9, 4, 8))[0].shape)
