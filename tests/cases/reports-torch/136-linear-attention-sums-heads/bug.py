import torch
import torch.nn as nn
import torch.nn.functional as F


class LinearAttention(nn.Module):
    def __init__(self, dim, num_heads=8, eps=1e-6):
        super().__init__()
        self.num_heads = num_heads
        self.eps = eps
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def feature_map(self, x):
        return F.elu(x) + 1

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)  # (B, H, N, D)
        q = self.feature_map(q)
        k = self.feature_map(k)

        kv = torch.matmul(k.transpose(-2, -1), v)  # (B, H, D, D)
        k_sum = k.sum(dim=1, keepdim=True)
        z = 1 / ((q * k_sum).sum(dim=-1, keepdim=True) + self.eps)
        out = torch.matmul(q, kv) * z

        out = out.transpose(1, 2).reshape(B, N, C)
        return self.proj(out)


x = torch.randn(2, 50, 64)
print(LinearAttention(64)(x).shape)
