import torch
import torch.nn as nn


def window_partition(x, ws):
    B, H, W, C = x.shape
    x = x.view(B, H // ws, ws, W // ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, ws * ws, C)


def window_reverse(windows, ws, H, W):
    C = windows.shape[-1]
    x = windows.view(-1, H // ws, W // ws, ws, ws, C)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, H, W, C)


class ShiftedWindowAttention(nn.Module):
    def __init__(self, dim, input_resolution, window_size=4, num_heads=4):
        super().__init__()
        self.num_heads = num_heads
        self.ws = window_size
        self.shift = window_size // 2
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

        H, W = input_resolution
        img_mask = torch.zeros((1, H, W, 1))
        slices = (slice(0, -self.ws), slice(-self.ws, -self.shift), slice(-self.shift, None))
        cnt = 0
        for h in slices:
            for w in slices:
                img_mask[:, h, w, :] = cnt
                cnt += 1
        mask_windows = window_partition(img_mask, self.ws).squeeze(-1)
        attn_mask = mask_windows.unsqueeze(1) - mask_windows.unsqueeze(2)
        self.register_buffer("attn_mask", attn_mask.masked_fill(attn_mask != 0, -100.0))

    def forward(self, x):
        B, H, W, C = x.shape
        shifted = torch.roll(x, shifts=(-self.shift, -self.shift), dims=(1, 2))
        win = window_partition(shifted, self.ws)
        B_, N, _ = win.shape
        nW = self.attn_mask.shape[0]

        qkv = self.qkv(win).reshape(B_, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = q @ k.transpose(-2, -1) * (C // self.num_heads) ** -0.5
        attn = attn.view(B_ // nW, nW, self.num_heads, N, N) + self.attn_mask.unsqueeze(1)
        attn = attn.view(-1, self.num_heads, N, N).softmax(dim=-1)
        out = self.proj((attn @ v).transpose(1, 2).reshape(B_, N, C))

        out = window_reverse(out, self.ws, H, W)
        return torch.roll(out, shifts=(self.shift, self.shift), dims=(1, 2))


if __name__ == "__main__":
    attn = ShiftedWindowAttention(96, (16, 16))
    print(attn(torch.randn(2, 16, 16, 96)).shape)
