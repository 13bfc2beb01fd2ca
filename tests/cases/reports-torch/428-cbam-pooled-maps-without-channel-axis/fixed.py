import torch
import torch.nn as nn


class ChannelGate(nn.Module):
    def __init__(self, planes, ratio=16):
        super(ChannelGate, self).__init__()
        self.mlp = nn.Sequential(
            nn.Linear(planes, planes // ratio),
            nn.ReLU(inplace=True),
            nn.Linear(planes // ratio, planes),
        )

    def forward(self, x):
        avg = self.mlp(x.mean(dim=(2, 3)))
        mx = self.mlp(x.amax(dim=(2, 3)))
        return torch.sigmoid(avg + mx)[:, :, None, None]


class SpatialGate(nn.Module):
    def __init__(self, kernel_size=7):
        super(SpatialGate, self).__init__()
        self.conv = nn.Conv2d(2, 1, kernel_size, padding=kernel_size // 2, bias=False)
        self.bn = nn.BatchNorm2d(1)

    def forward(self, x):
        avg_out = torch.mean(x, dim=1)
        max_out, _ = torch.max(x, dim=1)
        pooled = torch.stack([avg_out, max_out], dim=1)
        return torch.sigmoid(self.bn(self.conv(pooled)))


class CBAM(nn.Module):
    def __init__(self, planes):
        super(CBAM, self).__init__()
        self.ca = ChannelGate(planes)
        self.sa = SpatialGate()

    def forward(self, x):
        x = self.ca(x) * x
        x = self.sa(x) * x
        return x


feat = torch.randn(8, 64, 56, 56)
out = CBAM(64)(feat)
print(out.shape)
