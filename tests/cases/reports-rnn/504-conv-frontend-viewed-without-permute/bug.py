import torch
import torch.nn as nn


class VGGExtractor(nn.Module):
    """two stride-2 convs, mel spectrogram in, frames out"""

    def __init__(self, n_mels=40, channels=16):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(1, channels, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(channels, channels, 3, stride=2, padding=1), nn.ReLU(),
        )
        self.out_dim = channels * (n_mels // 4)

    def forward(self, feats):
        x = self.conv(feats.unsqueeze(1))          # B, C, T/4, F/4
        b, c, t, f = x.shape
        return x.contiguous().view(b, t, c * f)


class Listener(nn.Module):
    def __init__(self, n_mels=40, hidden=32):
        super().__init__()
        self.front = VGGExtractor(n_mels)
        self.blstm = nn.LSTM(self.front.out_dim, hidden, batch_first=True, bidirectional=True)
        self.key = nn.Linear(2 * hidden, hidden)
        self.value = nn.Linear(2 * hidden, hidden)

    def forward(self, feats):
        h, _ = self.blstm(self.front(feats))
        return self.key(h), self.value(h)


def attend(query, key, value):
    energy = torch.bmm(key, query.unsqueeze(2)).squeeze(2)
    att = energy.softmax(dim=1)
    return torch.bmm(att.unsqueeze(1), value).squeeze(1), att


if __name__ == "__main__":
    feats = torch.randn(3, 200, 40)
    key, value = Listener()(feats)
    ctx, att = attend(torch.randn(3, 32), key, value)
    print(ctx.shape, att.shape)
