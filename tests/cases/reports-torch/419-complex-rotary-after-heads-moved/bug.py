import torch
from torch import nn
import torch.nn.functional as F


def rope_table(head_dim, max_pos, base=10000.0):
    # (max_pos, head_dim / 2) complex
    inv = base ** (-torch.arange(0, head_dim, 2).float() / head_dim)
    angle = torch.outer(torch.arange(max_pos).float(), inv)
    return torch.polar(torch.ones_like(angle), angle)


def rotate(t, table):
    pairs = torch.view_as_complex(t.float().reshape(*t.shape[:-1], -1, 2))
    turned = pairs * table[None, :, None, :]
    return torch.view_as_real(turned).flatten(3).type_as(t)


class Attention(nn.Module):
    def __init__(self, dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = dim // n_heads
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, dim, bias=False)
        self.wv = nn.Linear(dim, dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x, table):
        bsz, seqlen, _ = x.shape
        xq = self.wq(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = self.wk(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xv = self.wv(x).view(bsz, seqlen, self.n_heads, self.head_dim)
        xq, xk, xv = xq.transpose(1, 2), xk.transpose(1, 2), xv.transpose(1, 2)
        xq, xk = rotate(xq, table), rotate(xk, table)
        y = F.scaled_dot_product_attention(xq, xk, xv, is_causal=True)
        return self.wo(y.transpose(1, 2).reshape(bsz, seqlen, -1))


table = rope_table(64, 2048)
layer = Attention(512, 8)
h = torch.randn(2, 100, 512)
y = layer(h, table[:100])
print(y.shape)
