import torch
import torch.nn as nn


class AttnBlock3D(nn.Module):
    """Spatial attention of the video VAE: every frame attends to itself."""

    def __init__(self, in_channels):
        super().__init__()
        self.norm = nn.GroupNorm(8, in_channels)
        self.q = nn.Conv3d(in_channels, in_channels, 1)
        self.k = nn.Conv3d(in_channels, in_channels, 1)
        self.v = nn.Conv3d(in_channels, in_channels, 1)
        self.proj_out = nn.Conv3d(in_channels, in_channels, 1)

    def to_frames(self, z):
        b, c, t, h, w = z.shape
        return z.transpose(1, 2).reshape(b * t, c, h * w)

    def forward(self, x):
        b, c, t, h, w = x.shape
        h_ = self.norm(x)
        q = self.to_frames(self.q(h_))
        k = self.to_frames(self.k(h_))
        v = self.to_frames(self.v(h_))

        w_ = torch.bmm(q.permute(0, 2, 1), k) * (int(c) ** (-0.5))     # b*t, hw, hw
        w_ = torch.softmax(w_, dim=2)
        h_ = torch.bmm(v, w_.permute(0, 2, 1))                          # b*t, c, hw
        h_ = h_.reshape(b, t, c, h, w).permute(0, 2, 1, 3, 4)
        return x + self.proj_out(h_)


if __name__ == "__main__":
    block = AttnBlock3D(16)
    print(block(torch.randn(2, 16, 5, 8, 8)).shape)
