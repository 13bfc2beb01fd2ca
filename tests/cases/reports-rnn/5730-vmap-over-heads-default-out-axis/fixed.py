from functools import partial

import jax
import jax.numpy as jnp


def init_params(key, d_model, n_heads):
    d_head = d_model // n_heads
    ks = jax.random.split(key, 4)
    shape = (d_model, n_heads, d_head)
    return {
        "q": jax.random.normal(ks[0], shape) / jnp.sqrt(d_model),
        "k": jax.random.normal(ks[1], shape) / jnp.sqrt(d_model),
        "v": jax.random.normal(ks[2], shape) / jnp.sqrt(d_model),
        "o": jax.random.normal(ks[3], (d_model, d_model)) / jnp.sqrt(d_model),
    }


def single_head(q, k, v, mask):
    logits = q @ k.T / jnp.sqrt(q.shape[-1])
    logits = jnp.where(mask, logits, -1e9)
    return jax.nn.softmax(logits, axis=-1) @ v


def self_attention(params, x):
    """x: (T, d_model), one sequence."""
    q, k, v = (jnp.einsum("tm,mhd->thd", x, params[n]) for n in "qkv")
    mask = jnp.tril(jnp.ones((x.shape[0], x.shape[0]), bool))
    heads = jax.vmap(single_head, in_axes=(1, 1, 1, None), out_axes=1)(q, k, v, mask)
    return heads.reshape(x.shape[0], -1) @ params["o"]


@partial(jax.jit, static_argnums=2)
def encode(layers, xs, residual=True):
    attend = jax.vmap(self_attention, in_axes=(None, 0))
    for p in layers:
        y = attend(p, xs)
        xs = xs + y if residual else y
    return xs
