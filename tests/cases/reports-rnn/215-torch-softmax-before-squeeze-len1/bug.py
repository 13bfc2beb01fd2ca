import torch
import torch.nn as nn


class TimeAttention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.w = nn.Parameter(torch.randn(hidden, 1))
        self.fc = nn.Linear(hidden, hidden)

    def forward(self, h):
        # h: [B, T, H]
        m = torch.tanh(self.fc(h))
        e = torch.matmul(m, self.w)
        alpha = torch.softmax(e, dim=2)
        out = torch.relu(torch.sum(h * alpha, dim=1))
        return out, alpha


class AttBLSTM(nn.Module):
    def __init__(self, vocab, emb, hidden, n):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.lstm = nn.LSTM(emb, hidden, bidirectional=True, batch_first=True)
        self.att = TimeAttention(hidden)
        self.out = nn.Linear(hidden, n)
        self.hidden = hidden

    def forward(self, x):
        h, _ = self.lstm(self.emb(x))
        h = h[:, :, :self.hidden] + h[:, :, self.hidden:]
        r, alpha = self.att(h)
        return self.out(r), alpha
