import torch
import torch.nn as nn


class EinsumMHA(nn.Module):
    """Multi-head attention without a single nn.Linear for q, k, v."""

    def __init__(self, d_in, d_out, num_heads, context_length=1024):
        super().__init__()
        assert d_out % num_heads == 0
        self.d_out, self.num_heads = d_out, num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Parameter(torch.randn(d_out, d_in) * d_in ** -0.5)
        self.W_key = nn.Parameter(torch.randn(d_out, d_in) * d_in ** -0.5)
        self.W_value = nn.Parameter(torch.randn(d_out, d_in) * d_in ** -0.5)
        self.out_proj = nn.Linear(d_out, d_out)
        self.register_buffer("future", torch.ones(context_length, context_length).triu(1).bool())

    def project(self, x, W):
        y = torch.einsum("bnd,de->bne", x, W)
        return y.view(x.shape[0], x.shape[1], self.num_heads, self.head_dim)

    def forward(self, x):
        b, n, _ = x.shape
        Q, K, V = self.project(x, self.W_query), self.project(x, self.W_key), self.project(x, self.W_value)

        scores = torch.einsum("bnhd,bmhd->bhnm", Q, K) / self.head_dim ** 0.5
        scores = scores.masked_fill(self.future[:n, :n], -torch.inf)
        context = torch.einsum("bhnm,bmhd->bnhd", scores.softmax(-1), V)
        return self.out_proj(context.reshape(b, n, self.d_out))


if __name__ == "__main__":
    torch.manual_seed(123)
    x = torch.randn(8, 16, 768)
    print(EinsumMHA(768, 768, num_heads=12)(x).shape)
    # wider heads
    print(EinsumMHA(768, 1536, num_heads=12)(x).shape)
