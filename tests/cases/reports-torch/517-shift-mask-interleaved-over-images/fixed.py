import torch
import torch.nn as nn


def window_partition(x, ws):
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, ws * ws, C)


def shifted_mask(H, W, ws, shift):
    region = torch.zeros(1, H, W, 1)
    cnt = 0
    for h in (slice(0, -ws), slice(-ws, -shift), slice(-shift, None)):
        for w in (slice(0, -ws), slice(-ws, -shift), slice(-shift, None)):
            region[:, h, w, :] = cnt
            cnt += 1
    ids = window_partition(region, ws).squeeze(-1)
    return (ids.unsqueeze(1) != ids.unsqueeze(2)).float() * -100.0     # nW, N, N


class ShiftedWindowAttention(nn.Module):
    def __init__(self, dim, heads, size, ws):
        super().__init__()
        self.heads, self.ws, self.shift = heads, ws, ws // 2
        self.qkv = nn.Linear(dim, dim * 3)
        self.register_buffer("mask", shifted_mask(size, size, ws, self.shift))

    def forward(self, x):
        B, H, W, C = x.shape
        x = torch.roll(x, (-self.shift, -self.shift), dims=(1, 2))
        win = window_partition(x, self.ws)
        qkv = self.qkv(win).view(len(win), -1, 3, self.heads, C // self.heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        attn = q @ k.transpose(-2, -1) * q.shape[-1] ** -0.5
        mask = self.mask.repeat(B, 1, 1)
        attn = attn + mask.unsqueeze(1)
        return (attn.softmax(dim=-1) @ v).transpose(1, 2).reshape(len(win), -1, C)


if __name__ == "__main__":
    block = ShiftedWindowAttention(dim=32, heads=4, size=8, ws=4)
    print(block(torch.randn(3, 8, 8, 32)).shape)
