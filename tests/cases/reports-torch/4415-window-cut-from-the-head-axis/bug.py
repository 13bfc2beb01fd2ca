import torch
import torch.nn as nn
import torch.nn.functional as F


class SlidingWindowAttention(nn.Module):
    """One token at a time, only the last `window` tokens are remembered."""

    def __init__(self, n_embd, n_head, window):
        super().__init__()
        self.n_head = n_head
        self.window = window
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=False)

    def forward(self, x, kv_cache=None):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)

        if kv_cache is not None:
            past_k, past_v = kv_cache
            k = torch.cat([past_k, k], dim=2)
            v = torch.cat([past_v, v], dim=2)
        k = k[:, -self.window:]
        v = v[:, -self.window:]

        y = F.scaled_dot_product_attention(q, k, v)
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y), (k, v)


@torch.no_grad()
def decode(attn, tokens):
    cache, outs = None, []
    for t in range(tokens.size(1)):
        y, cache = attn(tokens[:, t:t + 1], cache)
        outs.append(y)
    return torch.cat(outs, dim=1)


if __name__ == "__main__":
    attn = SlidingWindowAttention(64, 4, window=8)
    print(decode(attn, torch.randn(1, 20, 64)).shape)
