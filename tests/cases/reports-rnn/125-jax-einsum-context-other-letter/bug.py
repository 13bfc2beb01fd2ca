import jax
import jax.numpy as jnp


def init_params(key, d_h, d_s, d_a):
    k1, k2, k3 = jax.random.split(key, 3)
    return {
        "W": jax.random.normal(k1, (d_s, d_a)) * 0.1,
        "U": jax.random.normal(k2, (d_h, d_a)) * 0.1,
        "v": jax.random.normal(k3, (d_a,)) * 0.1,
    }


def attend(params, s, H, mask):
    """s (B, d_s), H (B, T, d_h), mask (B, T) -> context (B, d_h)"""
    proj = (s @ params["W"])[:, None, :] + H @ params["U"]
    e = jnp.einsum("btk,k->bt", jnp.tanh(proj), params["v"])
    e = jnp.where(mask, e, -1e9)
    a = jax.nn.softmax(e, axis=-1)
    c = jnp.einsum("bt,bsd->bd", a, H)
    return c, a


@jax.jit
def step(params, s, H, mask):
    c, a = attend(params, s, H, mask)
    return jnp.concatenate([s, c], axis=-1), a
