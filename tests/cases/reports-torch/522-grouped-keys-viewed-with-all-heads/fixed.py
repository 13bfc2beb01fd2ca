from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class ModelArgs:
    dim: int = 256
    n_heads: int = 8
    n_kv_heads: int = 2
    max_seq_len: int = 64
    max_batch: int = 4


class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n_heads = args.n_heads
        self.n_kv_heads = args.n_kv_heads
        self.n_rep = args.n_heads // args.n_kv_heads
        self.head_dim = args.dim // args.n_heads
        self.wq = nn.Linear(args.dim, args.n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, args.n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(args.dim, args.n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(args.n_heads * self.head_dim, args.dim, bias=False)
        cache = torch.zeros(args.max_batch, args.max_seq_len, args.n_kv_heads, self.head_dim)
        self.register_buffer("cache_k", cache, persistent=False)
        self.register_buffer("cache_v", cache.clone(), persistent=False)

    def forward(self, x, start_pos):
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = self.wk(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = self.wv(x).view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        self.cache_k[:bsz, start_pos:start_pos + seqlen] = xk
        self.cache_v[:bsz, start_pos:start_pos + seqlen] = xv
        keys = self.cache_k[:bsz, :start_pos + seqlen].repeat_interleave(self.n_rep, dim=2)
        values = self.cache_v[:bsz, :start_pos + seqlen].repeat_interleave(self.n_rep, dim=2)
        out = F.scaled_dot_product_attention(xq.transpose(1, 2), keys.transpose(1, 2), values.transpose(1, 2), is_causal=seqlen > 1)
        return self.wo(out.transpose(1, 2).reshape(bsz, seqlen, -1))


if __name__ == "__main__":
    attn = Attention(ModelArgs())
    with torch.no_grad():
        attn(torch.randn(2, 10, 256), 0)
        print(attn(torch.randn(2, 1, 256), 10).shape)
