import torch
import torch.nn as nn


def create_attention_mask(tokens, pad_id=0):
    """(B, 1, L, L), 0 where a token may look and -inf elsewhere"""
    length = tokens.shape[1]
    causal = torch.ones(length, length, dtype=torch.bool).tril()
    allowed = causal[None, None] & (tokens != pad_id)[:, None, None, :]
    allowed = allowed | torch.eye(length, dtype=torch.bool)
    return torch.zeros(allowed.shape).masked_fill(~allowed, float("-inf"))


class GemmaAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, head_dim, softcap=50.0):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, head_dim
        self.repeats = n_heads // n_kv_heads
        self.scale, self.softcap = head_dim ** -0.5, softcap
        self.q_proj = nn.Linear(dim, n_heads * head_dim, bias=False)
        self.k_proj = nn.Linear(dim, n_kv_heads * head_dim, bias=False)
        self.v_proj = nn.Linear(dim, n_kv_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(n_heads * head_dim, dim, bias=False)

    def forward(self, x, mask=None):
        B, L, _ = x.shape
        queries = self.q_proj(x).view(B, L, self.n_heads, self.head_dim).transpose(1, 2) * self.scale
        keys = self.k_proj(x).view(B, L, self.n_kv_heads, self.head_dim).transpose(1, 2)
        values = self.v_proj(x).view(B, L, self.n_kv_heads, self.head_dim).transpose(1, 2)

        queries = queries.reshape(B, self.n_kv_heads, self.repeats, L, self.head_dim)
        keys, values = keys.unsqueeze(2), values.unsqueeze(2)

        scores = queries @ keys.transpose(-1, -2)
        scores = torch.tanh(scores / self.softcap) * self.softcap
        if mask is not None:
            scores = scores + mask
        output = scores.softmax(dim=-1) @ values
        output = output.reshape(B, self.n_heads, L, self.head_dim)
        return self.o_proj(output.transpose(1, 2).reshape(B, L, -1))
