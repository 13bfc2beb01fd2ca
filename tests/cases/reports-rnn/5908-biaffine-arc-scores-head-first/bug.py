import torch
import torch.nn as nn
import torch.nn.functional as F


class BiaffineParser(nn.Module):
    def __init__(self, n_words, n_tags, d_emb=64, d_lstm=100, d_arc=80):
        super().__init__()
        self.words = nn.Embedding(n_words, d_emb, padding_idx=0)
        self.tags = nn.Embedding(n_tags, d_emb, padding_idx=0)
        self.lstm = nn.LSTM(2 * d_emb, d_lstm, 2, batch_first=True, bidirectional=True)
        self.mlp_head = nn.Sequential(nn.Linear(2 * d_lstm, d_arc), nn.LeakyReLU(0.1))
        self.mlp_dep = nn.Sequential(nn.Linear(2 * d_lstm, d_arc), nn.LeakyReLU(0.1))
        self.U = nn.Parameter(torch.randn(d_arc, d_arc) * 0.05)
        self.u = nn.Parameter(torch.zeros(d_arc))

    def forward(self, words, tags):
        h, _ = self.lstm(torch.cat([self.words(words), self.tags(tags)], dim=-1))
        head, dep = self.mlp_head(h), self.mlp_dep(h)
        # arc[b, i, j]: score of word j as the head of word i
        arc = head @ self.U @ dep.transpose(1, 2)
        arc = arc + (head @ self.u).unsqueeze(1)
        return arc.masked_fill(words.eq(0).unsqueeze(1), -1e9)

    def loss(self, words, tags, gold):
        arc = self(words, tags)
        real = words.ne(0)
        return F.cross_entropy(arc[real], gold[real])

    @torch.no_grad()
    def parse(self, words, tags):
        return self(words, tags).argmax(dim=-1)


if __name__ == "__main__":
    parser = BiaffineParser(1000, 20)
    w, t = torch.randint(1, 1000, (4, 11)), torch.randint(1, 20, (4, 11))
    gold = torch.randint(0, 11, (4, 11))
    parser.loss(w, t, gold).backward()
    print(parser.parse(w, t).shape)
