import math

import torch
import torch.nn as nn


class PositionalEncoding(nn.Module):
    def __init__(self, d_model, max_len=500):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1).float()
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, :x.size(1)]


class SensorClassifier(nn.Module):
    """Activity recognition from IMU windows, x: [batch, time, channels]"""

    def __init__(self, n_channels, n_classes, d_model=64, nhead=4, num_layers=2):
        super().__init__()
        self.embed = nn.Linear(n_channels, d_model)
        self.pos = PositionalEncoding(d_model)
        encoder_layer = nn.TransformerEncoderLayer(d_model=d_model, nhead=nhead, dim_feedforward=128, dropout=0.1)
        self.encoder = nn.TransformerEncoder(encoder_layer, num_layers=num_layers)
        self.fc = nn.Linear(d_model, n_classes)

    def forward(self, x):
        x = self.pos(self.embed(x))
        x = self.encoder(x)
        x = x.mean(dim=1)
        return self.fc(x)


if __name__ == "__main__":
    model = SensorClassifier(n_channels=6, n_classes=5)
    print(model(torch.randn(32, 128, 6)).shape)
