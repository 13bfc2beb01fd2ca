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
        self.register_buffer("pe", pe)

    def forward(self, x):
        x = x + self.pe[:x.size(1)].transpose(0, 1)
        return self.dropout(x)


class AttnModule(nn.Module):
    def __init__(self, hidden=128, layers=2, heads=8):
        super().__init__()
        self.pos_encoder = PositionalEncoding(hidden)
        encoder_layer = nn.TransformerEncoderLayer(hidden, heads, dim_feedforward=2 * hidden, batch_first=True)
        self.module = nn.TransformerEncoder(encoder_layer, layers)

    def forward(self, x):
        return self.module(self.pos_encoder(x))


class SignalModel(nn.Module):
    """1D conv encoder, transformer, 1D conv decoder"""

    def __init__(self, n_tracks, hidden=128):
        super().__init__()
        self.encoder = nn.Conv1d(n_tracks, hidden, 9, stride=4, padding=4)
        self.attn = AttnModule(hidden)
        self.decoder = nn.Conv1d(hidden, 1, 1)

    def forward(self, x):
        x = self.encoder(x)
        x = self.attn(x.transpose(1, 2)).transpose(1, 2)
        return self.decoder(x).squeeze(1)


if __name__ == "__main__":
    model = SignalModel(n_tracks=5)
    print(model(torch.randn(4, 5, 512)).shape)
