import jax
import jax.numpy as jnp
from jax import random

B, T, D, H = 2, 6, 16, 4


def fold_heads(x, num_heads):
    b, t, d = x.shape
    x = x.reshape(b, t, num_heads, d // num_heads)
    return x.transpose(0, 2, 1, 3).reshape(b * num_heads, t, d // num_heads)


def unfold_heads(x, num_heads):
    n, t, hd = x.shape
    x = x.reshape(n // num_heads, num_heads, t, hd).transpose(0, 2, 1, 3)
    return x.reshape(n // num_heads, t, num_heads * hd)


def relative_bias(table, t):
    idx = jnp.arange(t)[None, :] - jnp.arange(t)[:, None] + t - 1
    return table[idx]


def mha(params, x, num_heads=H):
    q, k, v = (fold_heads(x @ params[n], num_heads) for n in ("wq", "wk", "wv"))
    logits = jnp.matmul(q, k.swapaxes(-1, -2)) / jnp.sqrt(q.shape[-1])
    logits = logits + relative_bias(params["rel"], x.shape[1])
    out = jnp.matmul(jax.nn.softmax(logits, axis=-1), v)
    return unfold_heads(out, num_heads) @ params["wo"]


ks = random.split(random.PRNGKey(0), 6)
params = {n: random.normal(k, (D, D)) / D ** 0.5 for n, k in zip(("wq", "wk", "wv", "wo"), ks)}
params["rel"] = random.normal(ks[4], (2 * T - 1,))
x = random.normal(ks[5], (B, T, D))
print(mha(params, x).shape)
