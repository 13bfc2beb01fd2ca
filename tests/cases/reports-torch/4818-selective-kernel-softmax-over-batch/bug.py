import torch
from torch import nn


class SelectiveKernel1d(nn.Module):
    """Several receptive fields look at the signal, attention picks one for each channel."""

    def __init__(self, channels, kernels=(3, 5, 7), reduction=4):
        super().__init__()
        self.branches = nn.ModuleList([
            nn.Sequential(nn.Conv1d(channels, channels, k, padding=k // 2), nn.BatchNorm1d(channels), nn.ReLU())
            for k in kernels
        ])
        squeezed = max(channels // reduction, 8)
        self.squeeze = nn.Linear(channels, squeezed)
        self.excite = nn.ModuleList([nn.Linear(squeezed, channels) for _ in kernels])
        self.softmax = nn.Softmax(dim=1)

    def forward(self, x):
        feats = torch.stack([branch(x) for branch in self.branches], 0)
        fused = feats.sum(0)
        z = torch.relu(self.squeeze(fused.mean(-1)))
        weights = torch.stack([fc(z) for fc in self.excite], 0)
        weights = self.softmax(weights).unsqueeze(-1)
        return (weights * feats).sum(0)


class ActivityNet(nn.Module):
    def __init__(self, n_sensors=9, width=32, n_activities=6):
        super().__init__()
        self.stem = nn.Conv1d(n_sensors, width, 5, stride=2, padding=2)
        self.sk = SelectiveKernel1d(width)
        self.fc = nn.Linear(width, n_activities)

    def forward(self, window):
        return self.fc(self.sk(torch.relu(self.stem(window))).mean(-1))


if __name__ == "__main__":
    print(ActivityNet()(torch.randn(16, 9, 128)).shape)
