import torch
import torch.nn as nn
import torch.nn.functional as F


class GroupedAttention(nn.Module):
    def __init__(self, hidden_size: int, num_heads: int, num_kv_heads: int):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.num_queries_per_kv = num_heads // num_kv_heads
        self.head_dim = hidden_size // num_heads
        self.q_proj = nn.Linear(hidden_size, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_size, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_size, bias=False)

    def sdpa(self, q, k, v):
        """
        Inputs:
        q,k,v = (bs, sl, n, d)
        """
        if self.num_queries_per_kv > 1:
            k = k.repeat_interleave(self.num_queries_per_kv, dim=1)
            v = v.repeat_interleave(self.num_queries_per_kv, dim=1)
        q, k, v = (t.transpose(1, 2) for t in (q, k, v))
        return F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2)

    def forward(self, x):
        bs, sl, _ = x.shape
        q = self.q_proj(x).view(bs, sl, self.num_heads, self.head_dim)
        k = self.k_proj(x).view(bs, sl, self.num_kv_heads, self.head_dim)
        v = self.v_proj(x).view(bs, sl, self.num_kv_heads, self.head_dim)
        out = self.sdpa(q, k, v)
        return self.o_proj(out.reshape(bs, sl, -1))


if __name__ == "__main__":
    attn = GroupedAttention(64, 8, 2)
    print(attn(torch.randn(2, 10, 64)).shape)
