import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CosineWindowAttention(nn.Module):
    """Window attention with cosine similarity and a learned temperature per head."""

    def __init__(self, dim, window_size, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.window_size = window_size
        # kept as a logarithm so that it stays positive, starts at 10
        self.logit_scale = nn.Parameter(torch.full((num_heads, 1, 1), math.log(10.0)))
        self.bias = nn.Parameter(torch.zeros(num_heads, window_size ** 2, window_size ** 2))
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        Bn, N, C = x.shape
        qkv = self.qkv(x).reshape(Bn, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]

        attn = F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)
        logit_scale = self.logit_scale.clamp(max=math.log(100.0)).exp()
        attn = attn * logit_scale + self.bias
        attn = attn.softmax(dim=-1)

        x = (attn @ v).transpose(1, 2).reshape(Bn, N, C)
        return self.proj(x), attn


def image_to_windows(img, ws):
    b, h, w, c = img.shape
    return img.view(b, h // ws, ws, w // ws, ws, c).transpose(2, 3).reshape(-1, ws * ws, c)


if __name__ == "__main__":
    attn = CosineWindowAttention(48, 4, 3)
    print(attn(image_to_windows(torch.randn(2, 8, 8, 48), 4))[0].shape)
