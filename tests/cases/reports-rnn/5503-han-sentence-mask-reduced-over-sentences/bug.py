import torch
import torch.nn as nn


class AttnPool(nn.Module):
    def __init__(self, dim, att):
        super().__init__()
        self.proj = nn.Linear(dim, att)
        self.query = nn.Parameter(torch.randn(att))

    def forward(self, h, keep):
        scores = torch.tanh(self.proj(h)) @ self.query
        scores = scores.masked_fill(~keep, -1e4)
        a = torch.softmax(scores, dim=1)
        return torch.einsum('nl,nld->nd', a, h), a


class HAN(nn.Module):
    """Documents come as (batch, sentences, words), zero padded on both levels."""

    def __init__(self, vocab, emb, hid, classes):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb, padding_idx=0)
        self.word_gru = nn.GRU(emb, hid, batch_first=True, bidirectional=True)
        self.word_pool = AttnPool(2 * hid, 2 * hid)
        self.sent_gru = nn.GRU(2 * hid, hid, batch_first=True, bidirectional=True)
        self.sent_pool = AttnPool(2 * hid, 2 * hid)
        self.fc = nn.Linear(2 * hid, classes)

    def forward(self, docs):
        B, S, W = docs.shape
        words = docs.reshape(B * S, W)
        h, _ = self.word_gru(self.emb(words))
        sents, _ = self.word_pool(h, words != 0)

        h, _ = self.sent_gru(sents.view(B, S, -1))
        doc, a = self.sent_pool(h, (docs != 0).any(dim=1))
        return self.fc(doc), a


if __name__ == '__main__':
    docs = torch.randint(1, 60, (3, 4, 7))
    docs[1, 2:] = 0
    logits, a = HAN(60, 10, 6, 5)(docs)
    print(logits.shape, a[1])
