import math

import torch
import torch.nn as nn


def attention(query, key, value, mask=None):
    # query: (batch, 1, dim), key/value: (batch, seq, dim)
    scale = math.sqrt(key.size(2))
    scores = torch.matmul(query, key.transpose(1, 2)) / scale
    if mask is not None:
        scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9)
    p = torch.softmax(scores, dim=-1)
    return torch.matmul(p, value), p


class LSTMWithAttention(nn.Module):
    def __init__(self, input_size, hidden_size, num_classes):
        super().__init__()
        self.lstm = nn.LSTM(input_size, hidden_size, batch_first=True)
        self.fc = nn.Linear(hidden_size, num_classes)

    def forward(self, x, mask=None):
        out, (h, c) = self.lstm(x)
        ctx, p = attention(h[-1].unsqueeze(1), out, out, mask)
        return self.fc(ctx.squeeze(1))
