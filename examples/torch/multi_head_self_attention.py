"""Multi-head self-attention (Vaswani et al., 2017) for a batch, with plain weight matrices, in PyTorch."""

import torch
import torch.nn.functional as F


def split_heads(x, n_heads):
    B, T, d_model = x.shape
    return x.view(B, T, n_heads, d_model // n_heads).transpose(1, 2)


def merge_heads(x):
    B, n_heads, T, d_k = x.shape
    return x.transpose(1, 2).contiguous().view(B, T, n_heads * d_k)


def multi_head_self_attention(x, W_q, W_k, W_v, W_o, n_heads):
    q = split_heads(x @ W_q, n_heads)
    k = split_heads(x @ W_k, n_heads)
    v = split_heads(x @ W_v, n_heads)
    scores = q @ k.transpose(-2, -1) / q.size(-1) ** 0.5
    weights = F.softmax(scores, dim=-1)
    output = merge_heads(weights @ v) @ W_o
    return output, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T, d_model, n_heads = 2, 5, 12, 3
    x = torch.randn(B, T, d_model)
    W_q, W_k, W_v, W_o = (torch.randn(d_model, d_model) for _ in range(4))
    output, weights = multi_head_self_attention(x, W_q, W_k, W_v, W_o, n_heads)
    print("weights", tuple(weights.shape), "smallest sum", weights.sum(dim=-1).min().item())
    print("output", tuple(output.shape))
