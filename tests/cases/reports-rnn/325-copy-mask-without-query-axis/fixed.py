import torch
from torch import nn


class CopyDecoder(nn.Module):
    """One step of a decoder with copy mechanism: p = g * p_vocab + (1 - g) * p_copy"""

    def __init__(self, n_vocab, d_emb, d):
        super().__init__()
        self.n_vocab = n_vocab
        self.emb = nn.Embedding(n_vocab, d_emb, padding_idx=0)
        self.cell = nn.GRUCell(d_emb + d, d)
        self.key = nn.Linear(d, d)
        self.generate = nn.Linear(2 * d, n_vocab)
        self.gate = nn.Linear(2 * d + d_emb, 1)

    def forward(self, y, context, s, src, memory):
        x = self.emb(y)
        s = self.cell(torch.cat((x, context), dim=1), s)

        scores = torch.bmm(s.unsqueeze(1), self.key(memory).transpose(1, 2))   # (B, 1, T)
        scores = scores.masked_fill((src == 0).unsqueeze(1), float('-inf'))
        p_copy = torch.softmax(scores, dim=-1)
        context = torch.bmm(p_copy, memory).squeeze(1)

        p_vocab = torch.softmax(self.generate(torch.cat((s, context), dim=1)), dim=1)
        g = torch.sigmoid(self.gate(torch.cat((s, context, x), dim=1)))
        p = g * p_vocab
        p = p.scatter_add(1, src, (1 - g) * p_copy.squeeze(1))
        return p, context, s


if __name__ == '__main__':
    src = torch.tensor([[4, 9, 17, 3, 25, 2],
                        [8, 6, 2, 0, 0, 0],
                        [31, 7, 7, 12, 2, 0]])
    dec = CopyDecoder(n_vocab=40, d_emb=10, d=20)
    p, context, s = dec(torch.tensor([1, 1, 1]), torch.zeros(3, 20), torch.zeros(3, 20), src, torch.randn(3, 6, 20))
    print(p.shape, p.sum(1))
