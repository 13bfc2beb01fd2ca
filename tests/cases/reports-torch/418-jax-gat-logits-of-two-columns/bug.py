"""Dense graph attention layer (Velickovic et al.) in plain jax."""
import jax
import jax.numpy as jnp
from jax import random


def glorot(key, shape):
    s = jnp.sqrt(6.0 / (shape[0] + shape[1]))
    return random.uniform(key, shape, minval=-s, maxval=s)


def init_layer(key, n_in, n_out, n_heads):
    heads = []
    for k in random.split(key, n_heads):
        k1, k2, k3 = random.split(k, 3)
        heads.append({"W": glorot(k1, (n_in, n_out)), "a1": glorot(k2, (n_out, 1)), "a2": glorot(k3, (n_out, 1))})
    return heads


def attn_head(p, x, adj):
    h = x @ p["W"]
    f_1 = h @ p["a1"]
    f_2 = h @ p["a2"]
    logits = f_1 + f_2
    logits = jax.nn.leaky_relu(logits, negative_slope=0.2)
    logits = jnp.where(adj > 0, logits, -1e9)
    coefs = jax.nn.softmax(logits, axis=-1)
    return jax.nn.elu(coefs @ h)


def gat_layer(params, x, adj):
    return jnp.concatenate([attn_head(p, x, adj) for p in params], axis=-1)


if __name__ == "__main__":
    key = random.PRNGKey(0)
    x = random.normal(key, (270, 143))
    adj = (random.uniform(key, (270, 270)) > 0.95) | jnp.eye(270, dtype=bool)
    params = init_layer(key, 143, 8, n_heads=8)
    print(gat_layer(params, x, adj).shape)
