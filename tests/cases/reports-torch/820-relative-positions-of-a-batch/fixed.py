import torch
import torch.nn as nn


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class ReRoPEAttention(nn.Module):
    """Decoding step of rectified rotary attention: distances are capped at `window`."""

    def __init__(self, hidden_size, num_heads, window=512, max_position=2048):
        super().__init__()
        self.num_heads, self.head_dim, self.window = num_heads, hidden_size // num_heads, window
        self.q_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.k_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.v_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        self.o_proj = nn.Linear(hidden_size, hidden_size, bias=False)
        inv_freq = 1.0 / (10000 ** (torch.arange(0, self.head_dim, 2).float() / self.head_dim))
        freqs = torch.arange(max_position)[:, None] * inv_freq[None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        self.register_buffer("cos_cached", emb.cos(), persistent=False)
        self.register_buffer("sin_cached", emb.sin(), persistent=False)

    def rotate(self, k, position_ids):
        cos = self.cos_cached[position_ids].unsqueeze(1)      # [bs, 1, seq_len, dim]
        sin = self.sin_cached[position_ids].unsqueeze(1)
        return k * cos - rotate_half(k) * sin

    def shape(self, x):
        return x.view(x.shape[0], -1, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, hidden_states, past_key_value, position_ids):
        """hidden_states: [bs, 1, hidden], position_ids: [bs, kv_len] of cached tokens and the new one"""
        q, k, v = (self.shape(p(hidden_states)) for p in (self.q_proj, self.k_proj, self.v_proj))
        k = torch.cat([past_key_value[0], k], dim=2)
        v = torch.cat([past_key_value[1], v], dim=2)
        distance = (position_ids[:, -1:] - position_ids).clamp(min=0, max=self.window)
        scores = q @ self.rotate(k, distance).transpose(2, 3) / self.head_dim ** 0.5
        out = scores.softmax(dim=-1) @ v
        return self.o_proj(out.transpose(1, 2).flatten(2)), (k, v)


if __name__ == "__main__":
    attn = ReRoPEAttention(32, 4, window=6)
    past = torch.randn(2, 3, 4, 9, 8)
    ids = torch.stack([torch.arange(10) - pad for pad in (0, 2, 5)]).clamp(min=0)
    print(attn(torch.randn(3, 1, 32), past, ids)[0].shape)
