import torch
from torch import nn


class SqueezeAndExcitation(nn.Module):
    """Squeeze-and-excitation over the filters of an EEG network.

    Parameters
    ----------
    in_channels : int
        number of input feature channels
    reduction_rate : int
        reduction ratio of the fully-connected layers
    """

    def __init__(self, in_channels, reduction_rate, bias=False):
        super().__init__()
        sq_channels = int(in_channels // reduction_rate)
        self.gap = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(in_channels, sq_channels, kernel_size=1, bias=bias)
        self.nonlinearity = nn.ReLU()
        self.fc2 = nn.Conv2d(sq_channels, in_channels, kernel_size=1, bias=bias)
        self.sigmoid = nn.Sigmoid()

    def forward(self, x):
        scale = self.gap(x)
        scale = self.nonlinearity(self.fc1(scale))
        scale = self.sigmoid(self.fc2(scale))
        return x * scale


class AttentionBaseNet(nn.Module):
    def __init__(self, n_chans, n_outputs, n_filters=32, reduction_rate=4):
        super().__init__()
        self.temporal = nn.Conv2d(1, n_filters, (1, 25), padding=(0, 12))
        self.spatial = nn.Conv2d(n_filters, n_filters, (n_chans, 1))
        self.norm = nn.BatchNorm2d(n_filters)
        self.attention = SqueezeAndExcitation(n_filters, reduction_rate)
        self.pool = nn.AdaptiveAvgPool2d((1, 8))
        self.head = nn.Linear(n_filters * 8, n_outputs)

    def forward(self, x):
        x = self.norm(self.spatial(self.temporal(x.unsqueeze(1))))
        x = self.pool(self.attention(torch.relu(x)))
        return self.head(x.flatten(1))


if __name__ == "__main__":
    net = AttentionBaseNet(n_chans=22, n_outputs=4)
    print(net(torch.randn(2, 22, 200)).shape)
