import torch
import torch.nn as nn


class TakeOutput(nn.Module):
    def forward(self, x):
        return x[0]


class AttentivePool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.hidden = nn.Linear(dim, dim)
        self.context = nn.Linear(dim, 1, bias=False)

    def forward(self, x):
        w = torch.softmax(self.context(torch.tanh(self.hidden(x))), dim=1)
        return (w * x).sum(dim=1)


def ecg_classifier(n_leads=12, hidden=64, n_classes=5):
    # raw signal (batch, leads, samples), downsampled by 16 before the LSTM
    conv = nn.Sequential(
        nn.Conv1d(n_leads, 32, 15, stride=4, padding=7), nn.ReLU(),
        nn.Conv1d(32, 64, 15, stride=4, padding=7), nn.ReLU(),
    )
    return nn.ModuleDict({
        "conv": conv,
        "beat": nn.Sequential(nn.GRU(64, hidden, batch_first=True), TakeOutput(), AttentivePool(hidden)),
        "rhythm": nn.Sequential(nn.LSTM(64, hidden, batch_first=True, bidirectional=True), AttentivePool(2 * hidden)),
        "label": nn.Linear(3 * hidden, n_classes),
    })


def run(model, signal):
    frames = model["conv"](signal).transpose(1, 2)
    beat = model["beat"](frames[:, -32:])
    rhythm = model["rhythm"](frames)
    return model["label"](torch.cat([beat, rhythm], dim=1))


if __name__ == "__main__":
    net = ecg_classifier()
    print(run(net, torch.randn(3, 12, 1000)).shape)
