import torch
import torch.nn as nn
import torch.nn.functional as F


def rotate_queries_or_keys(x, pos):
    B, num_heads, N, D = x.size()
    omega = torch.arange(D // 2, dtype=x.dtype, device=x.device)
    omega = 1.0 / 10000 ** (omega / (D / 2.0))
    freq = pos.to(x.dtype)[..., None] * omega                   # B, 1, N, D/2
    freq = freq.repeat(1, 1, 1, 2)
    y1, y2 = x.unflatten(-1, (-1, 2)).unbind(dim=-1)
    y = torch.stack((-y2, y1), dim=-1).flatten(-2)
    return x * freq.cos() + y * freq.sin()


class RoPEAttention(nn.Module):
    def __init__(self, dim, num_heads=8, qkv_bias=False, grid_size=14):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.grid_size = grid_size
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).unflatten(-1, (3, self.num_heads, -1)).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]

        ids = torch.arange(N, device=x.device)
        frame = (ids // self.grid_size).expand(B, 1, N)
        column = (ids % self.grid_size).expand(B, 1, N)
        half = self.head_dim // 2
        qf, qc = q[..., :half], q[..., half:]
        kf, kc = k[..., :half], k[..., half:]
        q = torch.cat([rotate_queries_or_keys(qf, frame), rotate_queries_or_keys(qc, column)], dim=-1)
        k = torch.cat([rotate_queries_or_keys(kf, frame), rotate_queries_or_keys(kc, column)], dim=-1)

        x = F.scaled_dot_product_attention(q, k, v)
        x = x.transpose(1, 2).reshape(B, N, C)
        return self.proj(x)


if __name__ == "__main__":
    attn = RoPEAttention(64, num_heads=4, grid_size=6)
    print(attn(torch.randn(2, 24, 64)).shape)
