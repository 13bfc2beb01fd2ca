import torch
from torch import nn


class WindowedBlock(nn.Module):
    def __init__(self, dim, num_heads, num_windows=2):
        super().__init__()
        self.num_windows = num_windows
        self.norm = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, num_heads, batch_first=True)

    def to_windows(self, x):
        b, h, w, c = x.shape
        n = self.num_windows
        x = x.view(b, n, h // n, n, h // n, c)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(b * n * n, -1, c)

    def from_windows(self, windows, h, w):
        n = self.num_windows
        c = windows.shape[-1]
        x = windows.view(-1, n, n, h // n, w // n, c)
        return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, h, w, c)

    def forward(self, x):
        _, h, w, _ = x.shape
        win = self.to_windows(self.norm(x))
        win, _ = self.attn(win, win, win, need_weights=False)
        return x + self.from_windows(win, h, w)


if __name__ == "__main__":
    block = WindowedBlock(32, 4)
    image_tokens = torch.randn(2, 12, 16, 32)
    print(block(image_tokens).shape)
