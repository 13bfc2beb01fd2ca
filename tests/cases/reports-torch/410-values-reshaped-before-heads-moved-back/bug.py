import math
import torch
import torch.nn as nn
import torch.nn.functional as F


def attention_values(q, k, v, mask=None):
    # q, k, v: 30 x 8 x 200 x 64
    d_k = q.size()[-1]
    energy = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(d_k)  # 30 x 8 x 200 x 200
    if mask is not None:
        energy = energy + mask
    weights = F.softmax(energy, dim=-1)
    values = torch.matmul(weights, v)  # 30 x 8 x 200 x 64
    return values, weights


class MultiHeadAttention(nn.Module):

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.d_model = d_model
        self.num_heads = num_heads
        self.head_dim = d_model // num_heads
        self.to_qkv = nn.Linear(d_model, 3 * d_model)
        self.mix = nn.Linear(d_model, d_model)

    def forward(self, x, mask=None):
        batch_size, seq_len, d_model = x.shape  # 30 x 200 x 512
        qkv = self.to_qkv(x)  # 30 x 200 x 1536
        qkv = qkv.reshape(batch_size, seq_len, self.num_heads, 3 * self.head_dim)
        qkv = qkv.permute(0, 2, 1, 3)  # 30 x 8 x 200 x 192
        q, k, v = qkv.chunk(3, dim=-1)  # each 30 x 8 x 200 x 64
        values, _ = attention_values(q, k, v, mask)
        values = values.reshape(batch_size, seq_len, self.num_heads * self.head_dim)
        out = self.mix(values)
        return out


if __name__ == "__main__":
    d_model, num_heads, batch_size, seq_len = 512, 8, 30, 200
    attn = MultiHeadAttention(d_model, num_heads)
    print(attn(torch.randn(batch_size, seq_len, d_model)).shape)
