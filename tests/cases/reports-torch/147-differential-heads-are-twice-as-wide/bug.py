import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiheadDiffAttn(nn.Module):
    def __init__(self, embed_dim, num_heads, head_dim=None):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = head_dim or embed_dim // num_heads // 2
        self.scaling = self.head_dim ** -0.5

        self.q_proj = nn.Linear(embed_dim, 2 * num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(embed_dim, 2 * num_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(embed_dim, 2 * num_heads * self.head_dim, bias=False)
        self.out_proj = nn.Linear(num_heads * self.head_dim, embed_dim, bias=False)
        self.lambda_full = nn.Parameter(torch.tensor(0.2))

    def forward(self, x, attn_mask=None):
        bsz, tgt_len, embed_dim = x.size()
        src_len = tgt_len

        q = self.q_proj(x).view(bsz, tgt_len, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(bsz, src_len, 2 * self.num_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(bsz, src_len, self.num_heads, 2 * self.head_dim).transpose(1, 2)

        attn_weights = torch.matmul(q * self.scaling, k.transpose(-1, -2))
        if attn_mask is None:
            attn_mask = torch.triu(torch.zeros([tgt_len, src_len]).fill_(float("-inf")), 1)
        attn_weights = F.softmax(attn_weights + attn_mask, dim=-1)
        attn_weights = attn_weights.view(bsz, self.num_heads, 2, tgt_len, src_len)
        attn_weights = attn_weights[:, :, 0] - self.lambda_full * attn_weights[:, :, 1]

        attn = torch.matmul(attn_weights, v)
        attn = attn.transpose(1, 2).reshape(bsz, tgt_len, self.num_heads * 2 * self.head_dim)
        return self.out_proj(attn)


if __name__ == "__main__":
    print(MultiheadDiffAttn(64, 4)(torch.randn(2, 10, 64)).shape)
