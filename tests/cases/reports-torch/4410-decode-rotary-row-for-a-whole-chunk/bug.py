import torch
import torch.nn as nn


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class ChunkedDecoderAttention(nn.Module):
    """Causal attention that consumes the prompt in chunks of any length."""

    def __init__(self, dim, heads, max_len=512):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.wqkv = nn.Linear(dim, 3 * dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        inv_freq = 1.0 / (10000 ** (torch.arange(0, self.head_dim, 2).float() / self.head_dim))
        freqs = torch.outer(torch.arange(max_len).float(), inv_freq)
        self.register_buffer("angles", torch.cat((freqs, freqs), dim=-1), persistent=False)

    def rope(self, x, angles):
        return x * angles.cos() + rotate_half(x) * angles.sin()

    def forward(self, x, cache=None):
        b, t, dim = x.shape
        q, k, v = self.wqkv(x).view(b, t, 3, self.heads, self.head_dim).permute(2, 0, 3, 1, 4)
        start = 0 if cache is None else cache[0].shape[2]
        end = start + t

        if cache is None:
            q_angles = self.angles[:end]
        else:
            q_angles = self.angles[end - 1:end]
        q = self.rope(q, q_angles)
        k = self.rope(k, self.angles[start:end])
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)

        visible = torch.ones(t, end, dtype=torch.bool).tril(diagonal=start)
        scores = q @ k.transpose(-2, -1) / self.head_dim ** 0.5
        weights = scores.masked_fill(~visible, float("-inf")).softmax(dim=-1)
        y = (weights @ v).transpose(1, 2).reshape(b, t, dim)
        return self.wo(y), (k, v)


if __name__ == "__main__":
    attn = ChunkedDecoderAttention(64, 4)
    prompt = torch.randn(1, 12, 64)
    y, cache = attn(prompt[:, :8])
    y, cache = attn(prompt[:, 8:], cache)
    print(y.shape, cache[0].shape)
