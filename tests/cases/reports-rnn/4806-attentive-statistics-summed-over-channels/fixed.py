import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentiveStatsPool(nn.Module):
    def __init__(self, in_dim, bottleneck_dim=128):
        super().__init__()
        self.linear1 = nn.Conv1d(in_dim, bottleneck_dim, kernel_size=1)
        self.linear2 = nn.Conv1d(bottleneck_dim, in_dim, kernel_size=1)

    def forward(self, x):
        # x: B, C, T
        alpha = torch.tanh(self.linear1(x))
        alpha = torch.softmax(self.linear2(alpha), dim=2)
        mean = torch.sum(alpha * x, dim=2)
        residuals = torch.sum(alpha * x ** 2, dim=2) - mean ** 2
        std = torch.sqrt(residuals.clamp(min=1e-9))
        return torch.cat([mean, std], dim=1)


class SpeakerNet(nn.Module):
    def __init__(self, n_mels=40, channels=64, emb=32, n_speakers=100):
        super().__init__()
        self.frame = nn.Sequential(
            nn.Conv1d(n_mels, channels, 5, padding=2), nn.ReLU(), nn.BatchNorm1d(channels),
            nn.Conv1d(channels, channels, 3, padding=2, dilation=2), nn.ReLU(), nn.BatchNorm1d(channels))
        self.pool = AttentiveStatsPool(channels, 16)
        self.bn = nn.BatchNorm1d(2 * channels)
        self.fc = nn.Linear(2 * channels, emb)
        self.classes = nn.Parameter(torch.randn(n_speakers, emb))

    def forward(self, mel):
        e = self.fc(self.bn(self.pool(self.frame(mel))))
        return F.linear(F.normalize(e), F.normalize(self.classes))


if __name__ == '__main__':
    net = SpeakerNet()
    print(net(torch.randn(4, 40, 200)).shape)
