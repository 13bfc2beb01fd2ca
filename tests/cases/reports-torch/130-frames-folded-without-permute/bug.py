import torch
from torch import nn


class AttnBlock3D(nn.Module):
    """Compatible with old versions, there are issues, use with caution."""

    def __init__(self, in_channels):
        super().__init__()
        self.in_channels = in_channels
        self.norm = nn.GroupNorm(num_groups=4, num_channels=in_channels, eps=1e-6, affine=True)
        self.q = nn.Conv3d(in_channels, in_channels, kernel_size=1, stride=1)
        self.k = nn.Conv3d(in_channels, in_channels, kernel_size=1, stride=1)
        self.v = nn.Conv3d(in_channels, in_channels, kernel_size=1, stride=1)
        self.proj_out = nn.Conv3d(in_channels, in_channels, kernel_size=1, stride=1)

    def forward(self, x):
        h_ = x
        h_ = self.norm(h_)
        q = self.q(h_)
        k = self.k(h_)
        v = self.v(h_)

        # compute attention
        b, c, t, h, w = q.shape
        q = q.reshape(b * t, c, h * w)
        q = q.permute(0, 2, 1)  # b*t,hw,c
        k = k.permute(0, 2, 1, 3, 4).reshape(b * t, c, h * w)  # b*t,c,hw
        w_ = torch.bmm(q, k)  # b*t,hw,hw    w[b,i,j]=sum_c q[b,i,c]k[b,c,j]
        w_ = w_ * (int(c) ** (-0.5))
        w_ = torch.nn.functional.softmax(w_, dim=2)

        # attend to values
        v = v.permute(0, 2, 1, 3, 4).reshape(b * t, c, h * w)
        w_ = w_.permute(0, 2, 1)  # b*t,hw,hw (first hw of k, second of q)
        h_ = torch.bmm(v, w_)  # b*t, c,hw (hw of q) h_[b,c,j] = sum_i v[b,c,i] w_[b,i,j]
        h_ = h_.reshape(b, t, c, h, w).permute(0, 2, 1, 3, 4)

        h_ = self.proj_out(h_)
        return x + h_
