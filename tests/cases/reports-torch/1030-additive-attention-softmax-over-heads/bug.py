import math

import torch
from torch import nn, einsum
from einops import rearrange


class AdditiveAttention(nn.Module):
    r"""Attention in the style of FastFormer: Additive Attention Can Be All You Need

    x: (bs, seq_len, input_dim)
    """

    def __init__(self, input_dim: int, n_heads: int, use_bias: bool = False, dropout: float = 0.0):
        super(AdditiveAttention, self).__init__()
        assert input_dim % n_heads == 0, "'input_dim' must be divisible by 'n_heads'"
        self.head_dim = input_dim // n_heads
        self.n_heads = n_heads

        self.q_proj = nn.Linear(input_dim, input_dim, bias=use_bias)
        self.k_proj = nn.Linear(input_dim, input_dim, bias=use_bias)
        self.W_q = nn.Linear(input_dim, n_heads)
        self.W_k = nn.Linear(input_dim, n_heads)
        self.r_out = nn.Linear(input_dim, input_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        q = self.q_proj(x)
        k = self.k_proj(x)

        alphas = (self.W_q(q) / math.sqrt(self.head_dim)).softmax(dim=-1)
        q_r = rearrange(q, "b s (h d) -> b s h d", h=self.n_heads)
        global_query = einsum("bshd,bsh->bhd", q_r, alphas)
        global_query = rearrange(global_query, "b h d -> b () (h d)")

        p = k * global_query
        betas = (self.W_k(p) / math.sqrt(self.head_dim)).softmax(dim=1)
        p_r = rearrange(p, "b s (h d) -> b s h d", h=self.n_heads)
        global_key = einsum("bshd,bsh->bhd", p_r, betas)
        global_key = rearrange(global_key, "b h d -> b () (h d)")

        # the value transformation shares its weights with the query
        u = q * global_key
        return q + self.dropout(self.r_out(u))
