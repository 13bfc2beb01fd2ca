import torch
import torch.nn as nn
from torch.nn import functional as F


class CausalSelfAttention(nn.Module):

    def __init__(self, n_embd, n_head):
        super().__init__()
        assert n_embd % n_head == 0
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=False)
        self.c_proj = nn.Linear(n_embd, n_embd, bias=False)
        self.n_head = n_head
        self.n_embd = n_embd

    def forward(self, x, layer_past=None):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  # (B, nh, T, hs)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        if layer_past is not None:
            k = torch.cat((layer_past[0], k), dim=2)
            v = torch.cat((layer_past[1], v), dim=2)
        present = (k, v)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.c_proj(y), present


@torch.no_grad()
def run_incremental(attn, x, prompt_len):
    """whole prompt first, afterwards one token at a time"""
    y, past = attn(x[:, :prompt_len])
    outs = [y]
    for t in range(prompt_len, x.size(1)):
        y, past = attn(x[:, t:t + 1], layer_past=past)
        outs.append(y)
    return torch.cat(outs, dim=1)


if __name__ == "__main__":
    attn = CausalSelfAttention(48, 6)
    x = torch.randn(2, 12, 48)
    print(run_incremental(attn, x, 5).shape)
