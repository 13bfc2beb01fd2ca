import torch
import torch.nn as nn
from einops import rearrange


class AxisWiseAttentionBlock(nn.Module):
    """One half of the channels looks along rows, the other along columns."""

    def __init__(self, d_model, nhead, width=4):
        super().__init__()
        self.width = width
        self.norm1 = nn.LayerNorm(d_model)
        self.norm2 = nn.LayerNorm(d_model)
        self.attns = nn.ModuleList(nn.MultiheadAttention(d_model // 2, nhead) for _ in range(2))
        self.mlp = nn.Sequential(nn.Linear(d_model, d_model * 2), nn.GELU(), nn.Linear(d_model * 2, d_model))

    def forward(self, src):
        b, c, h, w = src.shape
        src = self.norm1(src.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)
        x1, x2 = src[:, :c // 2], src[:, c // 2:]

        x1_ = rearrange(x1, 'b c (h1 h2) w -> (b h1) (h2 w) c', h2=self.width)
        x2_ = rearrange(x2, 'b c h (w1 w2) -> (b w1) (h w2) c', w2=self.width)
        x1_ = x1_ + self.attns[0](x1_, x1_, x1_, need_weights=False)[0]
        x2_ = x2_ + self.attns[1](x2_, x2_, x2_, need_weights=False)[0]
        x1 = rearrange(x1_, '(b h1) (h2 w) c -> b c (h1 h2) w', b=b, w=w)
        x2 = rearrange(x2_, '(b w1) (h w2) c -> b c h (w1 w2)', b=b, h=h)

        x = torch.cat([x1, x2], dim=1)
        x = x + self.mlp(self.norm2(x.permute(0, 2, 3, 1))).permute(0, 3, 1, 2)
        return x


if __name__ == "__main__":
    block = AxisWiseAttentionBlock(32, 4)
    print(block(torch.randn(2, 32, 16, 24)).shape)
