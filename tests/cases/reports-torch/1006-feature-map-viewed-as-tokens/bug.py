import torch
from torch import nn


class TransformerNeck(nn.Module):
    """CNN features -> transformer encoder -> CNN features."""

    def __init__(self, channels, num_heads=8, depth=2, dropout=0.0):
        super().__init__()
        layer = nn.TransformerEncoderLayer(channels, num_heads, 2 * channels, dropout, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, depth)
        self.norm = nn.LayerNorm(channels)

    def forward(self, feat):
        b, c, h, w = feat.shape
        seq = feat.view(b, h * w, c)
        seq = self.norm(self.encoder(seq))
        return seq.permute(0, 2, 1).view(b, c, h, w)


class Segmenter(nn.Module):
    def __init__(self, n_classes, channels=64):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, channels // 2, 3, stride=2, padding=1), nn.BatchNorm2d(channels // 2), nn.ReLU(inplace=True),
            nn.Conv2d(channels // 2, channels, 3, stride=2, padding=1), nn.BatchNorm2d(channels), nn.ReLU(inplace=True),
        )
        self.neck = TransformerNeck(channels)
        self.head = nn.Conv2d(channels, n_classes, 1)
        self.up = nn.Upsample(scale_factor=4, mode="bilinear", align_corners=False)

    def forward(self, image):
        return self.up(self.head(self.neck(self.stem(image))))


if __name__ == '__main__':
    net = Segmenter(n_classes=5)
    print(net(torch.rand(2, 3, 64, 64)).shape)
