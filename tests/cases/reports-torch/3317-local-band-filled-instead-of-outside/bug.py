import torch
import torch.nn as nn


class LocalSelfAttention(nn.Module):
    """Each position looks at the `window` positions on either side."""

    def __init__(self, dim, num_heads, window):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.window = window
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(dim, dim)
        self.v_proj = nn.Linear(dim, dim)
        self.o_proj = nn.Linear(dim, dim)

    def band(self, n, device):
        idx = torch.arange(n, device=device)
        dist = (idx[None, :] - idx[:, None]).abs()
        return dist <= self.window

    def forward(self, x):
        B, N, D = x.shape
        shape = (B, N, self.num_heads, self.head_dim)
        q = self.q_proj(x).view(shape).transpose(1, 2)
        k = self.k_proj(x).view(shape).transpose(1, 2)
        v = self.v_proj(x).view(shape).transpose(1, 2)

        attn = (q @ k.transpose(-2, -1)) * self.head_dim ** -0.5
        attn = attn.masked_fill(self.band(N, x.device), float("-inf"))
        attn = attn.softmax(dim=-1)

        out = (attn @ v).transpose(1, 2).reshape(B, N, D)
        return self.o_proj(out)


if __name__ == "__main__":
    layer = LocalSelfAttention(dim=64, num_heads=4, window=3)
    print(layer(torch.randn(2, 50, 64)).shape)
