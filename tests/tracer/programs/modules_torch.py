# At least 11 places are known.
# ruff: noqa
"""Attention in torch as a function, with heads, and a mask by lengths."""

import math

import torch
import torch.nn.functional as F


def attention(q, k, v, lengths=None, n_heads=2):
    B, T_dec, d = q.shape
    T_enc = k.size(1)
    d_k = d // n_heads

    def split(x):
        return x.view(B, -1, n_heads, d_k).transpose(1, 2)

    qs, ks, vs = split(q), split(k), split(v)
    scores = qs @ ks.transpose(-2, -1) / math.sqrt(d_k)
    if lengths is not None:
        keep = torch.arange(T_enc)[None] < lengths[:, None]
        scores = scores.masked_fill(~keep[:, None, None], float("-inf"))
    weights = F.softmax(scores, dim=-1)
    heads = weights @ vs
    out = heads.transpose(1, 2).reshape(B, T_dec, d)
    return out, weights


q, k, v = torch.ones(2, 3, 8), torch.ones(2, 5, 8), torch.ones(2, 5, 8)
out, weights = attention(q, k, v)
masked, _ = attention(q, k, v, lengths=torch.tensor([2, 5]))
