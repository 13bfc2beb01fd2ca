import torch
import torch.nn as nn
import torch.nn.functional as F


class MusicAttention(nn.Module):
    """Masked self-attention over event tokens (note-on / note-off / time-shift)."""

    def __init__(self, width, n_heads, max_events=1024):
        super().__init__()
        self.n_heads = n_heads
        self.to_q = nn.Linear(width, width)
        self.to_k = nn.Linear(width, width)
        self.to_v = nn.Linear(width, width)
        self.fc = nn.Linear(width, width)
        self.register_buffer("lower", torch.tril(torch.ones(max_events, max_events)))

    def forward(self, x):
        b, t, w = x.shape
        d = w // self.n_heads
        q = self.to_q(x).view(b, t, self.n_heads, d).permute(0, 2, 1, 3)
        k = self.to_k(x).view(b, t, self.n_heads, d).permute(0, 2, 3, 1)
        v = self.to_v(x).view(b, t, self.n_heads, d).permute(0, 2, 1, 3)

        logits = torch.matmul(q, k) / d ** 0.5
        weights = F.softmax(logits, dim=-1)
        weights = weights.masked_fill(self.lower[:t, :t] == 0, 0.0)
        out = torch.matmul(weights, v).permute(0, 2, 1, 3).reshape(b, t, w)
        return self.fc(out)


layer = MusicAttention(256, 8)
print(layer(torch.randn(2, 512, 256)).shape)
