import torch
import torch.nn as nn
import torch.nn.functional as F


class KVCache(nn.Module):
    def __init__(self, max_batch_size, max_seq_length, n_heads, head_dim):
        super().__init__()
        cache_shape = (max_batch_size, n_heads, max_seq_length, head_dim)
        self.register_buffer("k_cache", torch.zeros(cache_shape))
        self.register_buffer("v_cache", torch.zeros(cache_shape))

    def update(self, start, k_val, v_val):
        end = start + k_val.shape[2]
        self.k_cache[:, :, start:end] = k_val
        self.v_cache[:, :, start:end] = v_val
        return self.k_cache[:, :, :end], self.v_cache[:, :, :end]


class Attention(nn.Module):
    def __init__(self, dim, n_head, max_batch_size=1, max_seq_length=128):
        super().__init__()
        self.n_head = n_head
        self.head_dim = dim // n_head
        self.wqkv = nn.Linear(dim, 3 * dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.kv_cache = KVCache(max_batch_size, max_seq_length, n_head, self.head_dim)

    @torch.no_grad()
    def forward(self, x, start_pos):
        bsz, seqlen, dim = x.shape
        q, k, v = self.wqkv(x).split(dim, dim=-1)
        q, k, v = map(lambda t: t.view(bsz, seqlen, self.n_head, self.head_dim).transpose(1, 2), (q, k, v))

        k, v = self.kv_cache.update(start_pos, k, v)

        # the prompt needs the causal mask, a single new token may see everything
        y = F.scaled_dot_product_attention(q, k, v, is_causal=seqlen > 1)
        y = y.transpose(1, 2).contiguous().view(bsz, seqlen, dim)
        return self.wo(y)


if __name__ == "__main__":
    attn = Attention(64, 4)
    attn(torch.randn(1, 10, 64), 0)
    for pos in range(10, 14):
        y = attn(torch.randn(1, 1, 64), pos)
    print(y.shape)
