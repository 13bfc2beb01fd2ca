import torch
import torch.nn as nn


class AttentiveStatsPool(nn.Module):
    def __init__(self, dim, bottleneck=128):
        super().__init__()
        self.proj = nn.Linear(dim, bottleneck)
        self.score = nn.Linear(bottleneck, 1)

    def forward(self, frames, lengths):
        """frames: batch x time x dim"""
        t = frames.size(1)
        e = self.score(torch.tanh(self.proj(frames)))
        valid = torch.arange(t)[None, :] < lengths[:, None]
        w = torch.softmax(e.masked_fill(~valid.unsqueeze(-1), -1e4), dim=1)

        mean = (w * frames).sum(dim=1)
        var = (w * (frames - mean) ** 2).sum(dim=1)
        return torch.cat([mean, var.clamp(min=1e-5).sqrt()], dim=1)


class SpeakerEncoder(nn.Module):
    def __init__(self, mels=80, hidden=256, emb=192):
        super().__init__()
        self.rnn = nn.GRU(mels, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.pool = AttentiveStatsPool(2 * hidden)
        self.bn = nn.BatchNorm1d(4 * hidden)
        self.fc = nn.Linear(4 * hidden, emb)

    def forward(self, mels, lengths):
        frames, _ = self.rnn(mels)
        emb = self.fc(self.bn(self.pool(frames, lengths)))
        return nn.functional.normalize(emb, dim=1)


if __name__ == "__main__":
    enc = SpeakerEncoder(mels=40, hidden=32, emb=24)
    mels = torch.randn(6, 150, 40)
    lengths = torch.tensor([150, 140, 120, 99, 80, 64])
    e = enc(mels, lengths)
    print(e @ e.t())
