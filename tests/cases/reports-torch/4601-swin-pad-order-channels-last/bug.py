import torch
import torch.nn as nn
import torch.nn.functional as F


def to_windows(x, ws):
    b, h, w, c = x.shape
    x = x.view(b, h // ws, ws, w // ws, ws, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, ws * ws, c)


def from_windows(win, ws, h, w):
    c = win.shape[-1]
    x = win.view(-1, h // ws, w // ws, ws, ws, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, h, w, c)


class LocalBlock(nn.Module):
    """Window attention for maps of any size; the map is channels-last."""

    def __init__(self, dim, heads, window=7):
        super().__init__()
        self.window = window
        self.norm = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, x):
        b, h, w, c = x.shape
        ws = self.window
        shortcut = x
        pad_b = (ws - h % ws) % ws
        pad_r = (ws - w % ws) % ws
        x = F.pad(self.norm(x), (0, 0, 0, pad_b, 0, pad_r))
        hp, wp = h + pad_b, w + pad_r

        win = to_windows(x, ws)
        win, _ = self.attn(win, win, win, need_weights=False)
        x = from_windows(win, ws, hp, wp)
        return shortcut + x[:, :h, :w].contiguous()


if __name__ == "__main__":
    block = LocalBlock(32, 4)
    print(block(torch.randn(2, 20, 30, 32)).shape)
