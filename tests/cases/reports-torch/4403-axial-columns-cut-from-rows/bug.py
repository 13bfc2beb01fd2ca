import torch
from torch import nn


class AxialAttention(nn.Module):
    """Self attention along the rows of a feature map, then along its columns."""

    def __init__(self, channels, heads=4):
        super().__init__()
        self.row_attn = nn.MultiheadAttention(channels, heads, batch_first=True)
        self.col_attn = nn.MultiheadAttention(channels, heads, batch_first=True)
        self.gamma = nn.Parameter(torch.ones(1))

    def along_width(self, x):
        b, c, h, w = x.shape
        seq = x.permute(0, 2, 3, 1).reshape(b * h, w, c)
        seq, _ = self.row_attn(seq, seq, seq, need_weights=False)
        return seq.reshape(b, h, w, c).permute(0, 3, 1, 2)

    def along_height(self, x):
        b, c, h, w = x.shape
        seq = x.permute(0, 2, 3, 1).reshape(b * w, h, c)
        seq, _ = self.col_attn(seq, seq, seq, need_weights=False)
        return seq.reshape(b, w, h, c).permute(0, 3, 2, 1)

    def forward(self, x):
        x = x + self.gamma * self.along_width(x)
        return x + self.gamma * self.along_height(x)


if __name__ == "__main__":
    layer = AxialAttention(32)
    polyp = torch.randn(2, 32, 11, 11)
    print(layer(polyp).shape)
