import torch
import torch.nn as nn


def nonlinearity(x):
    return x * torch.sigmoid(x)


class SpatialAttnBlock(nn.Module):
    """Spatial self attention inside a video autoencoder, applied frame by frame."""

    def __init__(self, in_channels, groups=4):
        super().__init__()
        self.norm = nn.GroupNorm(groups, in_channels)
        self.q = nn.Conv3d(in_channels, in_channels, kernel_size=1)
        self.k = nn.Conv3d(in_channels, in_channels, kernel_size=1)
        self.v = nn.Conv3d(in_channels, in_channels, kernel_size=1)
        self.proj_out = nn.Conv3d(in_channels, in_channels, kernel_size=1)

    def forward(self, x):
        h_ = self.norm(x)
        q = self.q(h_)
        k = self.k(h_)
        v = self.v(h_)

        # compute attention
        b, c, t, h, w = q.shape
        q = q.transpose(1, 2).reshape(b * t, c, h * w)
        q = q.permute(0, 2, 1)   # bt, hw, c
        k = k.transpose(1, 2).reshape(b * t, c, h * w)   # bt, c, hw
        w_ = torch.bmm(q, k) * (int(c) ** (-0.5))
        w_ = torch.softmax(w_, dim=2)

        # attend to values
        v = v.transpose(1, 2).reshape(b * t, c, h * w)
        h_ = torch.bmm(v, w_.permute(0, 2, 1))
        h_ = h_.reshape(b, t, c, h, w).permute(0, 2, 1, 3, 4)
        return x + self.proj_out(nonlinearity(h_))


if __name__ == "__main__":
    block = SpatialAttnBlock(16)
    clip = torch.randn(1, 16, 5, 8, 8)
    print(block(clip).shape)
