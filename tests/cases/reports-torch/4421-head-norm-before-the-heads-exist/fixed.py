import torch
import torch.nn as nn
import torch.nn.functional as F


class QKNormCrossAttention(nn.Module):
    def __init__(self, dim, context_dim, num_heads=8, qk_norm=True):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_k = nn.Linear(context_dim, dim, bias=False)
        self.to_v = nn.Linear(context_dim, dim, bias=False)
        self.to_out = nn.Linear(dim, dim)
        self.q_norm = nn.LayerNorm(self.head_dim) if qk_norm else nn.Identity()
        self.k_norm = nn.LayerNorm(self.head_dim) if qk_norm else nn.Identity()

    def _split(self, t):
        return t.view(*t.shape[:2], self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x, context):
        q = self.q_norm(self._split(self.to_q(x)))
        k = self.k_norm(self._split(self.to_k(context)))
        v = self._split(self.to_v(context))
        out = F.scaled_dot_product_attention(q, k, v)
        return self.to_out(out.transpose(1, 2).flatten(2))


if __name__ == "__main__":
    attn = QKNormCrossAttention(dim=128, context_dim=96)
    print(attn(torch.randn(2, 64, 128), torch.randn(2, 17, 96)).shape)
