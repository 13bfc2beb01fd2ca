# At least 49 places are known.
# ruff: noqa
"""Attention with einops: heads split and merged by patterns, grouped keys, packed tokens, layers."""

import torch
from einops import einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
from einops.layers.torch import Rearrange, Reduce
from torch import nn


def attend(x, w_q, w_k, w_v, n_heads):
    q, k, v = (x @ w for w in (w_q, w_k, w_v))
    q, k, v = map(lambda t: rearrange(t, "b n (h d) -> b h n d", h=n_heads), (q, k, v))
    scores = einsum(q, k, "b h i d, b h j d -> b h i j")
    weights = scores.softmax(dim=-1)
    out = einsum(weights, v, "b h i j, b h j d -> b h i d")
    return rearrange(out, "b h n d -> b n (h d)")


def grouped(q, k, v):
    g = q.shape[1] // k.shape[1]
    k, v = (repeat(t, "b h s d -> b (h g) s d", g=g) for t in (k, v))
    q = rearrange(q, "b h n d -> (b h) n d")
    k, v = (rearrange(t, "b h s d -> (b h) s d") for t in (k, v))
    weights = (q @ k.transpose(1, 2)).softmax(dim=-1)
    return weights @ v


def with_token(images, token):
    tokens, shape = pack([rearrange(images, "b (h p) w -> b h (p w)", p=2)], "b * d")
    cls = repeat(token, "d -> b d", b=tokens.shape[0])
    x, sizes = pack([cls, tokens], "b * d")
    cls, tokens = unpack(x, sizes, "b * d")
    (tokens,) = unpack(tokens, shape, "b * d")
    return cls, tokens, reduce(tokens, "b n d -> b 1 d", "mean")


def any_keys(q, k, v, heads: bool):
    named = "b h s d" if heads else "b s d"
    open_letter, closed = "d", "{s}"
    scores = torch.einsum(f"b h n d, {named} -> b h n s", q, k)
    weights = scores.softmax(dim=-1)
    out = torch.einsum(f"b h n s, {named} -> b h n {open_letter}", weights, v)
    merged = rearrange(out, f"b h n {open_letter} -> b n (h d)")
    print(f"{closed} {{{open_letter}}} {out.shape}", f"{heads!r:>5}")
    return merged


class Patches(nn.Module):
    def __init__(self, size, dim):
        super().__init__()
        self.cut = Rearrange("b c (h p) (w q) -> b (h w) (p q c)", p=size, q=size)
        self.embed = nn.Linear(3 * size * size, dim)
        self.pool = Reduce("b n d -> b d", "mean")

    def forward(self, images):
        patches = self.cut(images)
        embedded = self.embed(patches)
        return self.pool(embedded)


x = torch.ones(2, 5, 12)
w = torch.ones(12, 12)
out = attend(x, w, w, w, 3)
q, k = torch.ones(2, 6, 5, 4), torch.ones(2, 3, 7, 4)
context = grouped(q, k, k)
cls, tokens, pooled = with_token(torch.ones(2, 8, 3), torch.ones(6))
with_heads = any_keys(q, q, q, True)
without = any_keys(q, k[:, 0], k[:, 0], False)
sizes = parse_shape(q, "b h _ d")
merged = rearrange(q, "b h n d -> b n (h d)", **sizes)
both = rearrange([x, x], "k b n d -> b n d k")
features = Patches(4, 9)(torch.ones(2, 3, 8, 12))
