import torch
import torch.nn as nn


class SpatialCrossAttention(nn.Module):
    """UNet feature map (queries) x text embedding (keys, values)"""

    def __init__(self, channels, context_dim=768):
        super().__init__()
        self.norm = nn.GroupNorm(8, channels)
        self.to_q = nn.Linear(channels, channels, bias=False)
        self.to_k = nn.Linear(context_dim, channels, bias=False)
        self.to_v = nn.Linear(context_dim, channels, bias=False)
        self.to_out = nn.Linear(channels, channels)

    def forward(self, x, context):
        b, c, h, w = x.shape
        q = self.to_q(self.norm(x).flatten(2).transpose(1, 2))
        k = self.to_k(context)
        v = self.to_v(context)
        sim = torch.einsum('bid,bjd->bij', q, k) * c ** -0.5
        out = torch.einsum('bij,bjd->bid', sim.softmax(dim=-1), v)
        out = self.to_out(out).transpose(1, 2).reshape(b, c, h, w)
        return x + out


unet_block = nn.ModuleList([nn.Conv2d(4, 320, 3, padding=1), SpatialCrossAttention(320)])
latents = torch.randn(2, 4, 16, 16)
prompt = torch.randn(2, 77, 768)

h = unet_block[0](latents)
h = unet_block[1](h, prompt)
print(h.shape)
