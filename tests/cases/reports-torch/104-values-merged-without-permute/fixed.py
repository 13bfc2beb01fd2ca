import math
from typing import Optional

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.qkv_dim = hidden_dim // num_heads
        self.num_heads = num_heads
        self.qkv_proj = nn.Linear(hidden_dim, 3 * num_heads * self.qkv_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.qkv_dim, hidden_dim, bias=False)

    def forward(self, x: torch.FloatTensor, future_mask: Optional[torch.BoolTensor] = None):
        """
        :param x: input sequence. Shape: (N, S, E)
        :param future_mask: True where a query may look. Shape: (S, S)
        :return: contextualized token embeddings. Shape: (N, S, E)
        """
        batch_size, sequence_length, hidden_dim = x.size()
        qkv = self.qkv_proj(x)
        qkv = qkv.reshape(batch_size, sequence_length, self.num_heads, 3 * self.qkv_dim)
        qkv = qkv.permute(0, 2, 1, 3)
        q, k, v = qkv.chunk(3, dim=-1)
        values, attn = self.scaled_dot_product(q, k, v, future_mask)
        values = values.permute(0, 2, 1, 3).reshape(batch_size, sequence_length, hidden_dim)
        return self.o_proj(values)

    def scaled_dot_product(self, q, k, v, future_mask=None):
        attn_logits = torch.matmul(q, torch.transpose(k, -2, -1))
        attn_logits = attn_logits / math.sqrt(q.size()[-1])
        if future_mask is not None:
            attn_logits = attn_logits.masked_fill(~future_mask, float("-inf"))
        attention = torch.softmax(attn_logits, dim=-1)
        return torch.matmul(attention, v), attention
