import torch
from torch import nn


class SequenceBias(nn.Module):
    def __init__(self, embed_dim):
        super().__init__()
        self.bias = nn.Parameter(torch.zeros(embed_dim))

    def forward(self, x):
        bsz = x.size(0)
        return torch.cat([x, self.bias.repeat(bsz, 1, 1)], dim=1)


class PrivateMultiheadAttention(nn.Module):
    def __init__(self, embed_dim, num_heads, add_bias_kv=False):
        super().__init__()
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        assert self.head_dim * num_heads == self.embed_dim, "embed_dim must be divisible by num_heads"
        self.qlinear = nn.Linear(embed_dim, embed_dim)
        self.klinear = nn.Linear(embed_dim, embed_dim)
        self.vlinear = nn.Linear(embed_dim, embed_dim)
        self.out_proj = nn.Linear(embed_dim, embed_dim)
        self.seq_bias = SequenceBias(embed_dim) if add_bias_kv else None

    def forward(self, query, key, value):
        bsz, tgt_len, embed_dim = query.size()
        scaling = float(self.head_dim) ** -0.5
        q = self.qlinear(query) * scaling
        k = self.klinear(key)
        v = self.vlinear(value)
        if self.seq_bias is not None:
            k, v = self.seq_bias(k), self.seq_bias(v)

        q = q.view(bsz, tgt_len, self.num_heads, self.head_dim).transpose(1, 2).reshape(bsz * self.num_heads, tgt_len, self.head_dim)
        k = k.view(bsz, -1, self.num_heads, self.head_dim).transpose(1, 2).reshape(bsz * self.num_heads, -1, self.head_dim)
        v = v.view(bsz, -1, self.num_heads, self.head_dim).transpose(1, 2).reshape(bsz * self.num_heads, -1, self.head_dim)

        attn_output_weights = torch.bmm(q, k.transpose(1, 2))
        attn_output_weights = torch.softmax(attn_output_weights, dim=-1)
        attn_output = torch.bmm(attn_output_weights, v)
        attn_output = attn_output.view(bsz, tgt_len, embed_dim)
        return self.out_proj(attn_output)
