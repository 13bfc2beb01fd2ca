import math
import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.qkv_dim = hidden_dim // num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, padding_mask=None):
        batch_size, sequence_length, hidden_dim = x.size()

        qkv = self.qkv_proj(x)
        qkv = qkv.reshape(batch_size, sequence_length, self.num_heads, 3 * self.qkv_dim)
        qkv = qkv.permute(0, 2, 1, 3)
        q, k, v = qkv.chunk(3, dim=-1)

        values = self.scaled_dot_product(q, k, v, padding_mask)
        values = values.reshape(batch_size, sequence_length, hidden_dim)
        return self.o_proj(values)

    def scaled_dot_product(self, q, k, v, padding_mask=None):
        logits = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        if padding_mask is not None:
            logits = logits.masked_fill(padding_mask[:, None, None, :] == 0, float("-inf"))
        return torch.matmul(F.softmax(logits, dim=-1), v)


if __name__ == "__main__":
    mha = MultiHeadAttention(hidden_dim=512, num_heads=8)
    print(mha(torch.randn(4, 20, 512)).shape)
