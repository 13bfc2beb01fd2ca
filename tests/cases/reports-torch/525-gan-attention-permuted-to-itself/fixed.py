import torch
import torch.nn as nn


class Self_Attn(nn.Module):
    """ Self attention Layer"""
    def __init__(self, in_dim):
        super(Self_Attn, self).__init__()
        self.query_conv = nn.Conv2d(in_channels=in_dim, out_channels=in_dim // 8, kernel_size=1)
        self.key_conv = nn.Conv2d(in_channels=in_dim, out_channels=in_dim // 8, kernel_size=1)
        self.value_conv = nn.Conv2d(in_channels=in_dim, out_channels=in_dim, kernel_size=1)
        self.gamma = nn.Parameter(torch.full((1,), 0.5))
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, x):
        """
            x : feature maps (B, C, W, H)
            returns self attention value + input feature, attention (B, N, N), N = W*H
        """
        m_batchsize, C, width, height = x.size()
        proj_query = self.query_conv(x).view(m_batchsize, -1, width * height).permute(0, 2, 1)   # B, N, C'
        proj_key = self.key_conv(x).view(m_batchsize, -1, width * height)                        # B, C', N
        energy = torch.bmm(proj_query, proj_key)
        attention = self.softmax(energy)
        proj_value = self.value_conv(x).view(m_batchsize, -1, width * height)                    # B, C, N

        out = torch.bmm(proj_value, attention.permute(0, 2, 1))
        out = out.view(m_batchsize, C, width, height)
        return self.gamma * out + x, attention


if __name__ == '__main__':
    layer = Self_Attn(64)
    y, att = layer(torch.randn(4, 64, 16, 16))
    print(y.shape, att.shape)
