import jax
import jax.numpy as jnp
from functools import partial


def init(key, channels):
    k1, k2 = jax.random.split(key)
    return {
        "norm_scale": jnp.ones((channels,)),
        "norm_shift": jnp.zeros((channels,)),
        "qkv": jax.random.normal(k1, (channels, 3 * channels)) * channels ** -0.5,
        "out": jax.random.normal(k2, (channels, channels)) * channels ** -0.5,
    }


def group_norm(x, scale, shift, groups, eps=1e-5):
    b, h, w, c = x.shape
    g = x.reshape(b, h * w, groups, c // groups)
    mu = g.mean(axis=(1, 3), keepdims=True)
    var = g.var(axis=(1, 3), keepdims=True)
    return ((g - mu) / jnp.sqrt(var + eps)).reshape(x.shape) * scale + shift


@partial(jax.jit, static_argnames=("heads", "groups"))
def attention_block(params, x, heads=4, groups=8):
    b, h, w, c = x.shape
    y = group_norm(x, params["norm_scale"], params["norm_shift"], groups)
    q, k, v = jnp.split(y.reshape(b, h * w, c) @ params["qkv"], 3, axis=-1)
    q, k, v = (t.reshape(b, h * w, heads, c // heads) for t in (q, k, v))
    # scale q and k before the product, the logits of bf16 inputs overflow otherwise
    scale = (c // heads) ** -0.25
    logits = jnp.einsum("bqhd,bkhd->bhqk", q * scale, k * scale)
    att = jax.nn.softmax(logits, axis=-1)
    y = jnp.einsum("bhqk,bkhd->bqhd", att, v).reshape(b, h, w, c)
    return x + y @ params["out"]


if __name__ == "__main__":
    p = init(jax.random.PRNGKey(0), 64)
    print(attention_block(p, jnp.ones((2, 8, 8, 64))).shape)
