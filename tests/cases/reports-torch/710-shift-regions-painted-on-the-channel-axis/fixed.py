import torch
import torch.nn as nn


def window_partition(x, ws):
    B, C, H, W = x.shape
    x = x.view(B, C, H // ws, ws, W // ws, ws)
    return x.permute(0, 2, 4, 3, 5, 1).reshape(-1, ws * ws, C)


def window_reverse(windows, ws, H, W):
    C = windows.shape[-1]
    x = windows.view(-1, H // ws, W // ws, ws, ws, C)
    return x.permute(0, 5, 1, 3, 2, 4).reshape(-1, C, H, W)


class SwinLayer(nn.Module):
    def __init__(self, dim, num_heads, window_size=8, shift_size=4):
        super().__init__()
        self.num_heads = num_heads
        self.window_size, self.shift_size = window_size, shift_size
        self.scale = (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def calculate_mask(self, x_size):
        H, W = x_size
        img_mask = torch.zeros((1, 1, H, W))
        slices = (slice(0, -self.window_size),
                  slice(-self.window_size, -self.shift_size),
                  slice(-self.shift_size, None))
        cnt = 0
        for h in slices:
            for w in slices:
                img_mask[:, :, h, w] = cnt
                cnt += 1
        mask_windows = window_partition(img_mask, self.window_size).squeeze(-1)
        attn_mask = mask_windows.unsqueeze(1) - mask_windows.unsqueeze(2)
        return attn_mask.masked_fill(attn_mask != 0, -100.0)

    def forward(self, x):
        B, C, H, W = x.shape
        shifted = torch.roll(x, (-self.shift_size, -self.shift_size), dims=(2, 3))
        win = window_partition(shifted, self.window_size)
        qkv = self.qkv(win).reshape(win.shape[0], -1, 3, self.num_heads, C // self.num_heads)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        mask = self.calculate_mask((H, W)).repeat(B, 1, 1)
        attn = (attn + mask.unsqueeze(1)).softmax(dim=-1)
        win = self.proj((attn @ v).transpose(1, 2).reshape(win.shape))
        out = window_reverse(win, self.window_size, H, W)
        return torch.roll(out, (self.shift_size, self.shift_size), dims=(2, 3))


if __name__ == "__main__":
    layer = SwinLayer(32, 4)
    print(layer(torch.randn(2, 32, 16, 24)).shape)
