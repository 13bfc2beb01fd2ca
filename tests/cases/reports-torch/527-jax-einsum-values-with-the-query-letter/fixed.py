from functools import partial

import jax
import jax.numpy as jnp


def rope(x, base=10000.0):
    # x: b h t d
    t, d = x.shape[-2:]
    inv = base ** (-jnp.arange(0, d, 2) / d)
    ang = jnp.arange(t)[:, None] * inv[None]
    sin, cos = jnp.sin(ang), jnp.cos(ang)
    x1, x2 = jnp.split(x, 2, axis=-1)
    return jnp.concatenate([x1 * cos - x2 * sin, x2 * cos + x1 * sin], axis=-1)


@partial(jax.jit, static_argnums=2)
def causal_attention(p, x, n_head):
    b, t, c = x.shape
    q, k, v = jnp.split(x @ p["c_attn"], 3, axis=-1)
    q, k, v = (z.reshape(b, t, n_head, c // n_head).transpose(0, 2, 1, 3) for z in (q, k, v))
    q, k = rope(q), rope(k)
    att = jnp.einsum("bhid,bhjd->bhij", q, k) * (c // n_head) ** -0.5
    att = jnp.where(jnp.tril(jnp.ones((t, t), bool)), att, -jnp.inf)
    att = jax.nn.softmax(att, axis=-1)
    y = jnp.einsum("bhij,bhjd->bhid", att, v)
    return y.transpose(0, 2, 1, 3).reshape(b, t, c) @ p["c_proj"]


if __name__ == "__main__":
    k1, k2, k3 = jax.random.split(jax.random.PRNGKey(42), 3)
    p = {"c_attn": 0.1 * jax.random.normal(k1, (48, 144)), "c_proj": 0.1 * jax.random.normal(k2, (48, 48))}
    print(causal_attention(p, jax.random.normal(k3, (2, 11, 48)), 6).shape)
