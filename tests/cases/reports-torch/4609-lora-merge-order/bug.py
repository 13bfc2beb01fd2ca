import torch
import torch.nn as nn
import torch.nn.functional as F


class LoRALinear(nn.Linear):
    def __init__(self, fan_in, fan_out, r=8, alpha=16, **kw):
        super().__init__(fan_in, fan_out, **kw)
        self.weight.requires_grad_(False)
        self.lora_A = nn.Parameter(torch.randn(r, fan_in) * fan_in ** -0.5)
        self.lora_B = nn.Parameter(torch.zeros(fan_out, r))
        self.scaling = alpha / r
        self.merged = False

    @torch.no_grad()
    def merge(self):
        if not self.merged:
            self.weight += (self.lora_A @ self.lora_B) * self.scaling
            self.merged = True

    def forward(self, x):
        y = F.linear(x, self.weight, self.bias)
        if not self.merged:
            y = y + F.linear(F.linear(x, self.lora_A), self.lora_B) * self.scaling
        return y


class GQA(nn.Module):
    def __init__(self, dim, heads, kv_heads, r=8):
        super().__init__()
        self.dh = dim // heads
        self.q_proj = LoRALinear(dim, heads * self.dh, r, bias=False)
        self.k_proj = nn.Linear(dim, kv_heads * self.dh, bias=False)
        self.v_proj = LoRALinear(dim, kv_heads * self.dh, r, bias=False)
        self.o_proj = nn.Linear(heads * self.dh, dim, bias=False)

    def forward(self, x):
        q, k, v = (p(x).unflatten(-1, (-1, self.dh)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        return self.o_proj(y.transpose(1, 2).flatten(2))


def merge_adapters(model):
    for mod in model.modules():
        if isinstance(mod, LoRALinear):
            mod.merge()
    return model


if __name__ == "__main__":
    model = merge_adapters(GQA(128, 8, 2))
    print(model(torch.randn(2, 10, 128)).shape)
