import torch
from torch import nn


class OverlapPatchEmbed(nn.Module):
    def __init__(self, dim, patch=7, stride=4):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, patch, stride, patch // 2)
        self.norm = nn.LayerNorm(dim)

    def forward(self, img):
        x = self.proj(img)
        H, W = x.shape[-2:]
        x = x.flatten(2).transpose(1, 2)
        return self.norm(x), W, H


class MixFFN(nn.Module):
    def __init__(self, dim, ratio=4):
        super().__init__()
        self.fc1 = nn.Linear(dim, dim * ratio)
        self.dw = nn.Conv2d(dim * ratio, dim * ratio, 3, padding=1, groups=dim * ratio)
        self.fc2 = nn.Linear(dim * ratio, dim)

    def forward(self, x, H, W):
        x = self.fc1(x)
        B, N, C = x.shape
        x = self.dw(x.transpose(1, 2).reshape(B, C, H, W)).flatten(2).transpose(1, 2)
        return self.fc2(nn.functional.gelu(x))


class Stage(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.embed = OverlapPatchEmbed(dim)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ffn = MixFFN(dim)

    def forward(self, img):
        x, H, W = self.embed(img)
        y = self.norm1(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]
        x = x + self.ffn(self.norm2(x), H, W)
        return x


if __name__ == "__main__":
    stage = Stage(32, 4)
    print(stage(torch.randn(1, 3, 96, 128)).shape)
