import torch
from torch import nn
from einops import rearrange


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


def apply_rotary_pos_emb(t, freqs):
    """t: (b, heads, seq_len, dim), freqs: (seq_len, dim)"""
    rot_dim, seq_len = freqs.shape[-1], t.shape[-2]
    freqs = freqs[-seq_len:, :]
    t, t_unrotated = t[..., :rot_dim], t[..., rot_dim:]
    t = (t * freqs.cos()) + (rotate_half(t) * freqs.sin())
    return torch.cat((t, t_unrotated), dim=-1)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        inv_freq = 1. / (10000 ** (torch.arange(0, dim, 2).float() / dim))
        self.register_buffer('inv_freq', inv_freq)

    def forward(self, n):
        t = torch.arange(n, device=self.inv_freq.device).type_as(self.inv_freq)
        freqs = torch.einsum('i , j -> i j', t, self.inv_freq)
        return torch.cat((freqs, freqs), dim=-1)


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head, d_k):
        super().__init__()
        self.n_head, self.d_k = n_head, d_k
        self.w_qs = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_ks = nn.Linear(d_model, n_head * d_k, bias=False)
        self.w_vs = nn.Linear(d_model, n_head * d_k, bias=False)
        self.fc = nn.Linear(n_head * d_k, d_model, bias=False)
        self.rotary = RotaryEmbedding(d_k)

    def forward(self, x):
        sz_b, len_q, _ = x.shape
        q, k, v = (rearrange(w(x), 'b n (h d) -> b n h d', h=self.n_head) for w in (self.w_qs, self.w_ks, self.w_vs))
        freqs = self.rotary(len_q)

        # Transpose for attention dot product: b x n x lq x dv
        q, k, v = apply_rotary_pos_emb(q, freqs).transpose(1, 2), apply_rotary_pos_emb(k, freqs).transpose(1, 2), v.transpose(1, 2)
        attn = torch.softmax(torch.matmul(q, k.transpose(2, 3)) / self.d_k ** 0.5, dim=-1)
        out = torch.matmul(attn, v).transpose(1, 2).contiguous().view(sz_b, len_q, -1)
        return self.fc(out)
