import torch
from torch import nn
from einops import rearrange


class AEALblock(nn.Module):
    def __init__(self, d_model, nhead, dim_feedforward=512, dropout=0.0, width=5):
        super().__init__()
        self.self_attn1 = nn.MultiheadAttention(d_model // 2, nhead // 2, dropout=dropout)
        self.linear1 = nn.Linear(d_model, dim_feedforward)
        self.linear2 = nn.Linear(dim_feedforward, d_model)
        self.norm1 = nn.LayerNorm(d_model)
        self.width = width
        self.act = nn.GELU()

    def forward(self, src):
        b, c, h, w = src.shape
        x1 = src[:, 0:c // 2]
        x1_ = rearrange(x1, 'b c (h1 h2) w -> b c h1 h2 w', h2=self.width)
        x1_ = rearrange(x1_, 'b c h1 h2 w -> (b h1) (h2 w) c')
        x1_ = self.self_attn1(x1_, x1_, x1_)[0]
        x1 = rearrange(x1_, '(b h1) (h2 w) c -> b c (h1 h2) w', b=b, h2=self.width)
        x = torch.cat((x1, src[:, c // 2:]), dim=1)
        x = rearrange(x, 'b c h w -> b (h w) c')
        x = self.norm1(x + self.linear2(self.act(self.linear1(x))))
        return rearrange(x, 'b (h w) c -> b c h w', h=h)


net = AEALblock(32, 4)
print(net(torch.randn(2, 32, 10, 6)).shape)
