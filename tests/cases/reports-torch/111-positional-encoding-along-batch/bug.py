import math

import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):

    def __init__(self, hidden, dropout=0.1, max_len=256):
        super().__init__()
        self.dropout = nn.Dropout(p=dropout)
        position = torch.arange(max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, hidden, 2) * (-math.log(10000.0) / hidden))
        pe = torch.zeros(max_len, 1, hidden)
        pe[:, 0, 0::2] = torch.sin(position * div_term)
        pe[:, 0, 1::2] = torch.cos(position * div_term)
        self.register_buffer('pe', pe)

    def forward(self, x):
        x = x + self.pe[:x.size(0)]
        return self.dropout(x)


class AttnModule(nn.Module):
    def __init__(self, hidden=128, layers=2):
        super(AttnModule, self).__init__()
        self.pos_encoder = PositionalEncoding(hidden, dropout=0.0)
        encoder_layers = nn.TransformerEncoderLayer(hidden, nhead=8, dim_feedforward=2 * hidden, dropout=0.0, batch_first=True)
        self.module = nn.TransformerEncoder(encoder_layers, layers)

    def forward(self, x):
        """x: [batch, length, hidden]"""
        x = self.pos_encoder(x)
        return self.module(x)


class ConvTransModel(nn.Module):
    def __init__(self, in_channels=5, hidden=128):
        super().__init__()
        self.encoder = nn.Conv1d(in_channels, hidden, 5, stride=2, padding=2)
        self.attn = AttnModule(hidden)

    def forward(self, seq):
        x = self.encoder(seq)           # [batch, hidden, length]
        x = x.transpose(1, 2).contiguous()
        return self.attn(x)


if __name__ == '__main__':
    print(ConvTransModel()(torch.randn(4, 5, 64)).shape)
