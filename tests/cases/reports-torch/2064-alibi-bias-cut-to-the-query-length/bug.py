import torch
import torch.nn as nn


def get_slopes(n_heads):
    start = 2 ** (-8 / n_heads)
    return torch.tensor([start ** (i + 1) for i in range(n_heads)])


class AlibiAttention(nn.Module):
    def __init__(self, hidden_size, n_heads, max_positions=256):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = hidden_size // n_heads
        self.query_key_value = nn.Linear(hidden_size, 3 * hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)

        pos = torch.arange(max_positions)
        distance = pos[None, :] - pos[:, None]
        alibi = get_slopes(n_heads)[:, None, None] * distance
        alibi = alibi.masked_fill(distance > 0, float("-inf"))  # (n_heads, max_positions, max_positions)
        self.register_buffer("alibi", alibi, persistent=False)

    def forward(self, hidden_states, layer_past=None):
        B, T, _ = hidden_states.shape
        fused = self.query_key_value(hidden_states).view(B, T, 3, self.n_heads, self.head_dim)
        query, key, value = [t.transpose(1, 2) for t in fused.unbind(dim=2)]

        if layer_past is not None:
            past_key, past_value = layer_past
            key = torch.cat((past_key, key), dim=2)
            value = torch.cat((past_value, value), dim=2)
        total = key.shape[2]

        scores = query @ key.transpose(-1, -2) / self.head_dim ** 0.5
        scores = scores + self.alibi[:, :T, :T]
        context = scores.softmax(dim=-1) @ value

        context = context.transpose(1, 2).reshape(B, T, -1)
        return self.dense(context), (key, value)


if __name__ == "__main__":
    attn = AlibiAttention(64, 8)
    y, past = attn(torch.randn(1, 12, 64))
    for _ in range(3):
        y, past = attn(torch.randn(1, 1, 64), past)
    print(y.shape, past[0].shape)
