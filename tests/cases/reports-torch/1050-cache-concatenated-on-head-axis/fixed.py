import torch
import torch.nn as nn
import torch.nn.functional as F


class CachedCausalAttention(nn.Module):
    def __init__(self, d_model=256, n_head=8):
        super().__init__()
        self.n_head = n_head
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)

    def _split_heads(self, x):
        x = x.view(x.size(0), x.size(1), self.n_head, x.size(2) // self.n_head)
        return x.permute(0, 2, 1, 3)

    def _merge_heads(self, x):
        x = x.permute(0, 2, 1, 3).contiguous()
        return x.view(x.size(0), x.size(1), -1)

    def forward(self, x, layer_past=None, use_cache=False):
        query, key, value = self.c_attn(x).split(x.size(-1), dim=2)
        query = self._split_heads(query)
        key = self._split_heads(key)
        value = self._split_heads(value)

        if layer_past is not None:
            past_key, past_value = layer_past
            key = torch.cat((past_key, key), dim=2)
            value = torch.cat((past_value, value), dim=2)
        present = (key, value) if use_cache else None

        a = F.scaled_dot_product_attention(query, key, value, is_causal=layer_past is None)
        return self.c_proj(self._merge_heads(a)), present


if __name__ == "__main__":
    attn = CachedCausalAttention().eval()
    with torch.no_grad():
        y, past = attn(torch.randn(1, 12, 256), use_cache=True)
        for _ in range(3):
            y, past = attn(torch.randn(1, 1, 256), layer_past=past, use_cache=True)
    print(y.shape, past[0].shape)
