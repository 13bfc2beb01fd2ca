import jax
import jax.numpy as jnp


def gru(p, xs):
    """xs: (T, B, F) -> (T, B, H)"""
    def step(h, x):
        zx, rx, nx = jnp.split(x @ p["Wx"] + p["b"], 3, axis=-1)
        zh, rh, nh = jnp.split(h @ p["Wh"], 3, axis=-1)
        z, r = jax.nn.sigmoid(zx + zh), jax.nn.sigmoid(rx + rh)
        h = (1 - z) * jnp.tanh(nx + r * nh) + z * h
        return h, h

    h0 = jnp.zeros((xs.shape[1], p["Wh"].shape[0]))
    return jax.lax.scan(step, h0, xs)[1]


def halve(xs):
    # two consecutive frames become one with twice the features
    T, B, F = xs.shape
    return xs.reshape(T // 2, B, 2 * F)


def listen(params, frames):
    xs = frames
    for p in params:
        xs = gru(p, halve(xs))
    return xs


def speller_context(query, H):
    e = jnp.einsum("bh,tbh->bt", query, H)
    return jnp.einsum("bt,tbh->bh", jax.nn.softmax(e, axis=1), H)


def init(key, d_in, d_h, n_layers):
    params = []
    for _ in range(n_layers):
        key, a, b = jax.random.split(key, 3)
        params.append({"Wx": jax.random.normal(a, (2 * d_in, 3 * d_h)) * 0.1,
                       "Wh": jax.random.normal(b, (d_h, 3 * d_h)) * 0.1, "b": jnp.zeros(3 * d_h)})
        d_in = d_h
    return params


if __name__ == "__main__":
    frames = jax.random.normal(jax.random.PRNGKey(1), (64, 3, 40))
    H = listen(init(jax.random.PRNGKey(0), 40, 32, 3), frames)
    print(H.shape, speller_context(jnp.ones((3, 32)), H).shape)
