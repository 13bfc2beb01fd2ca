import jax
import jax.numpy as jnp


def init_gru(key, n_in, n):
    k1, k2 = jax.random.split(key)
    return {"W": jax.random.normal(k1, (n_in, 3 * n)) * 0.3, "U": jax.random.normal(k2, (n, 3 * n)) * 0.3, "b": jnp.zeros(3 * n)}


def gru_step(p, h, x):
    xz, xr, xn = jnp.split(x @ p["W"] + p["b"], 3, axis=-1)
    hz, hr, hn = jnp.split(h @ p["U"], 3, axis=-1)
    z, r = jax.nn.sigmoid(xz + hz), jax.nn.sigmoid(xr + hr)
    return (1 - z) * jnp.tanh(xn + r * hn) + z * h


def encode(p, words):
    """words (B, T, E) -> annotations (B, T, H)"""
    h0 = jnp.zeros((words.shape[0], p["U"].shape[0]))

    def step(h, x):
        h = gru_step(p, h, x)
        return h, h

    _, states = jax.lax.scan(step, h0, jnp.swapaxes(words, 0, 1))
    return jnp.swapaxes(states, 0, 1)


def attention_pool(p, h, mask):
    u = jnp.tanh(h @ p["W_w"] + p["b_w"])
    scores = jnp.where(mask, u @ p["u_w"], -1e9)
    alpha = jax.nn.softmax(scores, axis=1)
    s = jnp.einsum("bt,bth->bh", alpha, u)
    return s, alpha


def init_params(key, emb, hid, classes):
    k = jax.random.split(key, 4)
    att = {"W_w": jax.random.normal(k[1], (hid, hid)), "b_w": jnp.zeros(hid), "u_w": jax.random.normal(k[2], (hid,))}
    return {"gru": init_gru(k[0], emb, hid), "att": att, "out": jax.random.normal(k[3], (hid, classes)) * 0.1}


def classify(params, words, mask):
    s, alpha = attention_pool(params["att"], encode(params["gru"], words), mask)
    return jax.nn.log_softmax(s @ params["out"]), alpha


if __name__ == "__main__":
    params = init_params(jax.random.PRNGKey(0), 20, 16, 5)
    words = jax.random.normal(jax.random.PRNGKey(1), (4, 9, 20))
    mask = jnp.arange(9)[None, :] < jnp.array([9, 4, 6, 2])[:, None]
    print(classify(params, words, mask)[0].shape)
