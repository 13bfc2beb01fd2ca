import jax
import jax.numpy as jnp


def heads(x, W, h):
    """(n, c) @ (c, c) -> (h, n, c // h)"""
    n, c = x.shape
    return (x @ W).reshape(n, h, c // h).swapaxes(0, 1)


def bidirectional_cross(params, x0, x1, num_heads=4):
    """One shared similarity between the two keypoint sets, read in both directions.

    x0: (n0, c) descriptors of image 0
    x1: (n1, c) descriptors of image 1
    """
    qk0, qk1 = heads(x0, params["qk"], num_heads), heads(x1, params["qk"], num_heads)
    v0, v1 = heads(x0, params["v"], num_heads), heads(x1, params["v"], num_heads)

    sim = jnp.einsum("hid,hjd->hij", qk0, qk1) * qk0.shape[-1] ** -0.5
    attn01 = jax.nn.softmax(sim, axis=-1)
    attn10 = jax.nn.softmax(sim.swapaxes(-1, -2), axis=-1)

    m0 = jnp.einsum("hij,hjd->hid", attn01, v1)
    m1 = jnp.einsum("hji,hjd->hid", attn10, v0)

    merge = lambda m: m.swapaxes(0, 1).reshape(m.shape[1], -1) @ params["out"]
    return x0 + merge(m0), x1 + merge(m1)


if __name__ == "__main__":
    k = jax.random.split(jax.random.PRNGKey(0), 5)
    params = {name: jax.random.normal(key, (64, 64)) / 8 for name, key in zip(("qk", "v", "out"), k)}
    d0, d1 = jax.random.normal(k[3], (300, 64)), jax.random.normal(k[4], (280, 64))
    y0, y1 = bidirectional_cross(params, d0, d1)
    print(y0.shape, y1.shape)
