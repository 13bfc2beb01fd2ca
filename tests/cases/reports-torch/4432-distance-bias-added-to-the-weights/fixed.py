import torch
import torch.nn as nn


class DistanceBiasedAttention(nn.Module):
    """Self attention over events with a learned bias for every clipped distance."""

    def __init__(self, dim, heads=4, max_distance=16, dropout=0.0):
        super().__init__()
        self.heads = heads
        self.max_distance = max_distance
        self.scale = (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)
        self.rel_bias = nn.Embedding(2 * max_distance + 1, heads)

    def bias(self, n):
        pos = torch.arange(n, device=self.rel_bias.weight.device)
        dist = (pos[None, :] - pos[:, None]).clamp(-self.max_distance, self.max_distance)
        return self.rel_bias(dist + self.max_distance).permute(2, 0, 1).unsqueeze(0)

    def forward(self, x):
        b, n, dim = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        attn = q @ k.transpose(-2, -1) * self.scale + self.bias(n)
        attn = self.drop(attn.softmax(dim=-1))
        return self.proj((attn @ v).transpose(1, 2).reshape(b, n, dim))


if __name__ == "__main__":
    layer = DistanceBiasedAttention(32)
    print(layer(torch.randn(2, 24, 32)).shape)
