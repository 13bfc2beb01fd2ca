import torch
import torch.nn as nn
import torch.nn.functional as F


def window_partition(x, ws):
    """(B, H, W, C) -> (B * nW, ws * ws, C)"""
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, ws * ws, C)


def window_merge(win, ws, H, W):
    C = win.shape[-1]
    x = win.view(-1, H // ws, W // ws, ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, H, W, C)


def shift_mask(H, W, ws, shift):
    region = torch.zeros(1, H, W, 1)
    cuts = (slice(0, -ws), slice(-ws, -shift), slice(-shift, None))
    for i, hs in enumerate(cuts):
        for j, wsl in enumerate(cuts):
            region[:, hs, wsl] = 3 * i + j
    region = window_partition(region, ws).squeeze(-1)  # nW, N
    return region.unsqueeze(1) == region.unsqueeze(2)  # nW, N, N


class ShiftedWindowAttention(nn.Module):
    def __init__(self, dim, num_heads, ws=8, shift=4):
        super().__init__()
        self.num_heads, self.ws, self.shift = num_heads, ws, shift
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, H, W, C = x.shape
        mask = shift_mask(H, W, self.ws, self.shift).to(x.device)
        x = torch.roll(x, (-self.shift, -self.shift), dims=(1, 2))
        win = window_partition(x, self.ws)
        qkv = self.qkv(win).reshape(win.shape[0], -1, 3, self.num_heads, C // self.num_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask.repeat(B, 1, 1).unsqueeze(1))
        out = self.proj(out.transpose(1, 2).flatten(2))
        x = window_merge(out, self.ws, H, W)
        return torch.roll(x, (self.shift, self.shift), dims=(1, 2))


if __name__ == "__main__":
    blk = ShiftedWindowAttention(96, 3)
    print(blk(torch.randn(1, 32, 32, 96)).shape)
    print(blk(torch.randn(4, 32, 32, 96)).shape)
