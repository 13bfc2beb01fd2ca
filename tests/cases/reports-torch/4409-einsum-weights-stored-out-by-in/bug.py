import torch
from torch import nn


def new_weight(n_out, n_in):
    w = torch.empty(n_out, n_in)
    nn.init.xavier_uniform_(w)
    return nn.Parameter(w)


class EinsumCausalAttention(nn.Module):
    """Multi-head attention written with einsum only."""

    def __init__(self, d_in, d_out, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.w_q = new_weight(d_out, d_in)
        self.w_k = new_weight(d_out, d_in)
        self.w_v = new_weight(d_out, d_in)
        self.head_mix = nn.Linear(d_out, d_out)

    def forward(self, tokens):
        q = torch.einsum("btd,do->bto", tokens, self.w_q)
        k = torch.einsum("btd,do->bto", tokens, self.w_k)
        v = torch.einsum("btd,do->bto", tokens, self.w_v)
        q, k, v = (z.unflatten(-1, (self.n_heads, -1)) for z in (q, k, v))

        sim = torch.einsum("bthe,bshe->bhts", q, k) * q.shape[-1] ** -0.5
        t = tokens.shape[1]
        later = torch.ones(t, t, dtype=torch.bool, device=tokens.device).triu(1)
        prob = sim.masked_fill(later, float("-inf")).softmax(-1)
        return self.head_mix(torch.einsum("bhts,bshe->bthe", prob, v).flatten(2))


if __name__ == "__main__":
    layer = EinsumCausalAttention(d_in=48, d_out=96, n_heads=6)
    print(layer(torch.randn(4, 20, 48)).shape)
