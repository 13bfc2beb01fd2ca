import torch
from torch import nn
from torch.nn import functional as F


class RollingCache:
    def __init__(self, window):
        self.window, self.k, self.v = window, None, None

    def update(self, k, v):
        if self.k is not None:
            k, v = torch.cat([self.k, k], 2), torch.cat([self.v, v], 2)
        self.k, self.v = k[:, :, -self.window:], v[:, :, -self.window:]
        return self.k, self.v


class WindowDecoderAttention(nn.Module):
    def __init__(self, d_model, n_head, window):
        super().__init__()
        self.n_head = n_head
        self.window = window
        self.qkv = nn.Linear(d_model, 3 * d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)

    def step(self, x, cache, attention_mask):
        """x: (B, 1, d_model); attention_mask: (B, tokens so far), 1 = token, 0 = left padding"""
        B = x.size(0)
        q, k, v = self.qkv(x).view(B, 1, 3, self.n_head, -1).permute(2, 0, 3, 1, 4).unbind(0)
        k, v = cache.update(k, v)
        keep = attention_mask[:, None, None, -k.size(2):].bool()
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=keep)
        return self.o(y.transpose(1, 2).reshape(B, 1, -1))


def decode(layer, embeds, attention_mask):
    cache = RollingCache(layer.window)
    out = []
    for t in range(embeds.size(1)):
        out.append(layer.step(embeds[:, t:t + 1], cache, attention_mask[:, :t + 1]))
    return torch.cat(out, dim=1)


if __name__ == "__main__":
    layer = WindowDecoderAttention(32, 4, window=8)
    print(decode(layer, torch.randn(2, 12, 32), torch.ones(2, 12)).shape)
