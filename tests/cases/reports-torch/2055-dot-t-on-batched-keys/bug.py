import numpy as np
import torch
import torch.nn as nn


def scaled_dot_product(q, k, v):
    d_k = q.shape[-1]
    scores = q @ k.T / np.sqrt(d_k)
    weights = torch.softmax(scores, dim=-1)
    return weights @ v, weights


class SelfAttentionV2(nn.Module):
    def __init__(self, d_in, d_out, qkv_bias=False):
        super().__init__()
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

    def forward(self, x):
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)
        context_vec, _ = scaled_dot_product(queries, keys, values)
        return context_vec


if __name__ == "__main__":
    torch.manual_seed(123)
    inputs = torch.rand(6, 3)
    batch = torch.stack((inputs, inputs), dim=0)   # 2 inputs with 6 tokens each
    sa = SelfAttentionV2(d_in=3, d_out=2)
    context = sa(batch)
    print("context_vecs.shape:", context.shape)
