import torch
import torch.nn.functional as F
from torch import nn, einsum
from einops import rearrange


class AlibiPositionalBias(nn.Module):
    def __init__(self, heads):
        super().__init__()
        slopes = [2 ** (-8 * (n + 1) / heads) for n in range(heads)]
        self.register_buffer('slopes', rearrange(torch.tensor(slopes), 'h -> h 1 1'), persistent=False)

    def get_bias(self, i, j):
        i_arange = torch.arange(j - i, j)
        j_arange = torch.arange(j)
        return -torch.abs(rearrange(j_arange, 'j -> 1 1 j') - rearrange(i_arange, 'i -> 1 i 1'))

    def forward(self, qk_dots):
        h, i, j = qk_dots.shape[-3:]
        bias = self.get_bias(i, j) * self.slopes
        num_heads_unalibied = h - bias.shape[0]
        bias = F.pad(bias, (0, 0, 0, 0, 0, num_heads_unalibied))
        return qk_dots + bias


class Attention(nn.Module):
    def __init__(self, dim, heads=8, dim_head=32, alibi_num_heads=None):
        super().__init__()
        self.heads, self.scale = heads, dim_head ** -0.5
        self.to_qkv = nn.Linear(dim, heads * dim_head * 3, bias=False)
        self.to_out = nn.Linear(heads * dim_head, dim)
        self.rel_pos = AlibiPositionalBias(alibi_num_heads or heads)

    def forward(self, x):
        q, k, v = self.to_qkv(x).chunk(3, dim=-1)
        q, k, v = map(lambda t: rearrange(t, 'b n (h d) -> b h n d', h=self.heads), (q, k, v))
        dots = self.rel_pos(einsum('b h i d, b h j d -> b h i j', q, k) * self.scale)
        causal = torch.ones(dots.shape[-2:], dtype=torch.bool).triu(1)
        attn = dots.masked_fill(causal, -torch.finfo(dots.dtype).max).softmax(dim=-1)
        out = einsum('b h i j, b h j d -> b h i d', attn, v)
        return self.to_out(rearrange(out, 'b h n d -> b n (h d)'))


if __name__ == "__main__":
    attn = Attention(64, heads=8, alibi_num_heads=4)
    print(attn(torch.randn(2, 20, 64)).shape)
