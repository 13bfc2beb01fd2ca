"""Causal self-attention: every position attends to itself and to what is before it, in PyTorch."""

import torch


def causal_self_attention(query, key, value):
    """query (B, T, d_k), key (B, T, d_k), value (B, T, d_v) -> (B, T, d_v), (B, T, T)."""
    T = query.size(1)
    future = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=0)
    scores = torch.bmm(query, key.transpose(1, 2)) / query.size(-1) ** 0.5
    weights = torch.softmax(scores.masked_fill(future, float("-inf")), dim=-1)
    output = torch.bmm(weights, value)
    return output, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T, d_k, d_v = 2, 5, 4, 6
    query, key, value = torch.randn(B, T, d_k), torch.randn(B, T, d_k), torch.randn(B, T, d_v)
    output, weights = causal_self_attention(query, key, value)
    print("weights of the first sequence", weights[0].tolist())
    print("output", tuple(output.shape))
