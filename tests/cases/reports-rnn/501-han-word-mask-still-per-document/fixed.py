import torch
import torch.nn as nn
import torch.nn.functional as F


class HAN(nn.Module):
    def __init__(self, vocab, emb=50, hid=25, classes=5):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb, padding_idx=0)
        self.word_gru = nn.GRU(emb, hid, bidirectional=True, batch_first=True)
        self.word_proj = nn.Linear(2 * hid, 2 * hid)
        self.word_ctx = nn.Parameter(torch.randn(2 * hid))
        self.sent_gru = nn.GRU(2 * hid, hid, bidirectional=True, batch_first=True)
        self.sent_proj = nn.Linear(2 * hid, 2 * hid)
        self.sent_ctx = nn.Parameter(torch.randn(2 * hid))
        self.fc = nn.Linear(2 * hid, classes)

    def forward(self, docs):
        # docs: batch x sentences x words, 0 = pad
        bs, n_sent, n_word = docs.size()
        mask = docs.ne(0)

        h, _ = self.word_gru(self.embedding(docs.view(bs * n_sent, n_word)))
        score = torch.tanh(self.word_proj(h)).matmul(self.word_ctx)
        score = score.masked_fill(~mask.view(bs * n_sent, n_word), -1e9)
        alpha = F.softmax(score, dim=1)
        sents = (alpha.unsqueeze(2) * h).sum(1).view(bs, n_sent, -1)

        h, _ = self.sent_gru(sents)
        score = torch.tanh(self.sent_proj(h)).matmul(self.sent_ctx)
        score = score.masked_fill(~mask.any(2), -1e9)
        beta = F.softmax(score, dim=1)
        return self.fc((beta.unsqueeze(2) * h).sum(1))


if __name__ == "__main__":
    model = HAN(vocab=1000)
    x = torch.randint(1, 1000, (8, 6, 12))
    x[:, 4:] = 0
    x[2, :, 9:] = 0
    print(model(x).shape)
