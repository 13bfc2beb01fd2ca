import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class RelativeGlobalAttention(nn.Module):
    """Huang et al. 2018, the memory efficient version with `skew`."""

    def __init__(self, d_model, n_heads, max_len=1024):
        super().__init__()
        self.n_heads = n_heads
        self.d_head = d_model // n_heads
        self.max_len = max_len
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.Er = nn.Parameter(torch.randn(max_len, self.d_head) * 0.02)
        self.out = nn.Linear(d_model, d_model)

    def skew(self, qe):
        b, h, n, _ = qe.shape
        padded = F.pad(qe, (1, 0))              # (b, h, n, n + 1)
        shifted = padded.reshape(b, h, n, n + 1)[:, :, :, 1:]
        return shifted

    def forward(self, x):
        b, n, d_model = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.n_heads, self.d_head).permute(2, 0, 3, 1, 4)

        e_r = self.Er[self.max_len - n:]
        s_rel = self.skew(q @ e_r.t())
        logits = (q @ k.transpose(-1, -2) + s_rel) / math.sqrt(self.d_head)

        future = torch.triu(torch.ones(n, n, dtype=torch.bool, device=x.device), 1)
        weights = logits.masked_fill(future, float("-inf")).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).reshape(b, n, d_model))


if __name__ == "__main__":
    rga = RelativeGlobalAttention(d_model=128, n_heads=8)
    print(rga(torch.randn(2, 100, 128)).shape)
