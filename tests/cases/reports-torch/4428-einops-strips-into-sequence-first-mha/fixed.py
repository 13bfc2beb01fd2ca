import torch
import torch.nn as nn
from einops import rearrange


class StripAttentionBlock(nn.Module):
    """Half of the channels attends in horizontal strips, the other half in vertical ones."""

    def __init__(self, dim, heads=4, width=5):
        super().__init__()
        self.width = width
        self.h_attn = nn.MultiheadAttention(dim // 2, heads, batch_first=True)
        self.v_attn = nn.MultiheadAttention(dim // 2, heads, batch_first=True)
        self.conv = nn.Conv2d(dim, dim, 3, padding=1)

    def forward(self, src):
        b, c, h, w = src.shape
        x1, x2 = src[:, :c // 2], src[:, c // 2:]

        x1 = rearrange(x1, 'b c (s1 s2) w -> (b s1) (s2 w) c', s2=self.width)
        x1 = self.h_attn(x1, x1, x1, need_weights=False)[0]
        x1 = rearrange(x1, '(b s1) (s2 w) c -> b c (s1 s2) w', b=b, s2=self.width)

        x2 = rearrange(x2, 'b c h (s1 s2) -> (b s1) (h s2) c', s2=self.width)
        x2 = self.v_attn(x2, x2, x2, need_weights=False)[0]
        x2 = rearrange(x2, '(b s1) (h s2) c -> b c h (s1 s2)', b=b, s2=self.width)

        return src + self.conv(torch.cat([x1, x2], dim=1))


if __name__ == "__main__":
    block = StripAttentionBlock(16, heads=2)
    print(block(torch.randn(2, 16, 10, 20)).shape)
