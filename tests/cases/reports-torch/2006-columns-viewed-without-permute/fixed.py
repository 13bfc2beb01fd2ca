import torch
import torch.nn as nn


class AxialAttention(nn.Module):
    """Self attention along one image axis ("h" or "w")."""

    def __init__(self, in_channel, axis, reduction=8):
        super(AxialAttention, self).__init__()
        assert axis in ("h", "w")
        self.axis = axis
        self.query_conv = nn.Conv2d(in_channel, in_channel // reduction, kernel_size=1)
        self.key_conv = nn.Conv2d(in_channel, in_channel // reduction, kernel_size=1)
        self.value_conv = nn.Conv2d(in_channel, in_channel, kernel_size=1)
        self.gamma = nn.Parameter(torch.ones(1))

    def lines(self, t):
        B, C, H, W = t.size()
        if self.axis == "w":
            return t.permute(0, 2, 1, 3).reshape(B * H, C, W)
        return t.permute(0, 3, 1, 2).reshape(B * W, C, H)

    def forward(self, x):
        B, C, H, W = x.size()
        query = self.lines(self.query_conv(x)).permute(0, 2, 1)
        key = self.lines(self.key_conv(x))
        value = self.lines(self.value_conv(x))

        attention = torch.softmax(torch.bmm(query, key), dim=-1)
        out = torch.bmm(value, attention.permute(0, 2, 1))

        if self.axis == "w":
            out = out.view(B, H, C, W).permute(0, 2, 1, 3)
        else:
            out = out.view(B, W, C, H).permute(0, 2, 3, 1)
        return self.gamma * out + x


if __name__ == "__main__":
    feat = torch.randn(2, 32, 11, 11)
    net = nn.Sequential(AxialAttention(32, "h"), AxialAttention(32, "w"))
    print(net(feat).shape)
