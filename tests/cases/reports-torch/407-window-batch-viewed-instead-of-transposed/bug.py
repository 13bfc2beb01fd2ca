# single step prediction of a noisy sine with a transformer encoder
import math
import torch
import torch.nn as nn

torch.manual_seed(0)
input_window = 100
output_window = 1
batch_size = 10
device = torch.device("cpu")


class SineForecaster(nn.Module):
    def __init__(self, width=64, num_layers=1, dropout=0.1):
        super().__init__()
        self.inp = nn.Linear(1, width)
        position = torch.arange(0, 500).float().unsqueeze(1)
        freq = torch.exp(torch.arange(0, width, 2).float() * (-math.log(10000.0) / width))
        pe = torch.zeros(500, width)
        pe[:, 0::2] = torch.sin(position * freq)
        pe[:, 1::2] = torch.cos(position * freq)
        self.register_buffer("pe", pe.unsqueeze(1))
        layer = nn.TransformerEncoderLayer(width, nhead=8, dim_feedforward=128, dropout=dropout)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.decoder = nn.Linear(width, 1)

    def forward(self, src):
        # src: [window, batch, 1]
        mask = nn.Transformer.generate_square_subsequent_mask(len(src))
        src = self.inp(src) + self.pe[:src.size(0)]
        return self.decoder(self.encoder(src, mask))


def make_windows(series, tw):
    return [(series[i:i + tw], series[i + output_window:i + tw + output_window]) for i in range(len(series) - tw)]


def get_batch(source, i, batch_size):
    seq_len = min(batch_size, len(source) - i)
    data = source[i:i + seq_len]
    inputs = torch.stack([item[0] for item in data]).view(input_window, seq_len, 1)
    target = torch.stack([item[1] for item in data]).view(input_window, seq_len, 1)
    return inputs.to(device), target.to(device)


t = torch.arange(0, 40, 0.1)
series = torch.sin(t) + 0.05 * torch.randn(len(t))
train_data = make_windows(series, input_window)
model = SineForecaster().to(device)
data, targets = get_batch(train_data, 0, batch_size)
loss = nn.functional.mse_loss(model(data), targets)
print(data.shape, loss.item())
