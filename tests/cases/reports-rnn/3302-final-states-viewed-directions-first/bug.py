import torch
from torch import nn


class SentimentNet(nn.Module):
    """Stacked BiLSTM; the final state of the top layer queries all time steps."""

    def __init__(self, vocab, emb=100, hidden=64, layers=2, classes=2):
        super().__init__()
        self.layers, self.hidden = layers, hidden
        self.embed = nn.Embedding(vocab, emb, padding_idx=0)
        self.lstm = nn.LSTM(emb, hidden, layers, batch_first=True, bidirectional=True)
        self.key = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.classify = nn.Linear(4 * hidden, classes)

    def top_state(self, h_n):
        batch = h_n.size(1)
        h_n = h_n.view(2, self.layers, batch, self.hidden)
        last = h_n[:, -1]
        return torch.cat([last[0], last[1]], dim=-1)

    def forward(self, ids):
        out, (h_n, _) = self.lstm(self.embed(ids))
        query = self.top_state(h_n)

        score = torch.bmm(self.key(out), query.unsqueeze(2)).squeeze(2)
        score = score.masked_fill(ids == 0, float("-inf"))
        alpha = torch.softmax(score, dim=1)
        pooled = torch.bmm(alpha.unsqueeze(1), out).squeeze(1)

        return self.classify(torch.cat([pooled, query], dim=-1)), alpha
