import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalMHA(nn.Module):
    def __init__(self, d_in, d_out, num_heads, context_length, dropout=0.0):
        super().__init__()
        assert d_out % num_heads == 0, "d_out has to be a multiple of num_heads"
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.dropout = dropout
        self.qkv = nn.Linear(d_in, 3 * d_out, bias=False)
        self.proj = nn.Linear(d_out, d_out)
        causal = torch.triu(torch.ones(context_length, context_length), diagonal=1)
        self.register_buffer("mask", causal.bool())

    def forward(self, x):
        b, num_tokens, _ = x.shape
        # (b, num_tokens, 3 * d_out) --> (3, b, num_heads, num_tokens, head_dim)
        qkv = self.qkv(x).view(b, num_tokens, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        queries, keys, values = qkv.unbind(0)

        # cut the mask to the tokens that are there
        attn_mask = self.mask[:num_tokens, :num_tokens]
        p = self.dropout if self.training else 0.0
        context = F.scaled_dot_product_attention(queries, keys, values, attn_mask=attn_mask, dropout_p=p)

        context = context.transpose(1, 2).flatten(2)
        return self.proj(context)


if __name__ == "__main__":
    mha = CausalMHA(d_in=96, d_out=96, num_heads=6, context_length=64)
    print(mha(torch.randn(4, 50, 96)).shape)
