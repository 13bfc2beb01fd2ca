import jax
import jax.numpy as jnp


def glimpse(params, memory, state):
    """Dot attention. memory comes straight from `encode`."""
    query = state @ params["W_a"]
    scores = jnp.einsum("bth,bh->bt", memory, query)
    weights = jax.nn.softmax(scores, axis=-1)
    return jnp.einsum("bt,tbh->bh", weights, memory), weights


def encode(params, src):
    emb = params["src_emb"][src]

    def step(h, x):
        h = jnp.tanh(x @ params["W_x"] + h @ params["W_h"])
        return h, h

    h0 = jnp.zeros((src.shape[0], params["W_h"].shape[0]))
    return jax.lax.scan(step, h0, jnp.moveaxis(emb, 1, 0))


def translate(params, src, tgt):
    last, memory = encode(params, src)

    def step(s, y):
        c, w = glimpse(params, memory, s)
        s = jnp.tanh(jnp.concatenate([y, c], -1) @ params["V_x"] + s @ params["V_h"])
        return s, (s @ params["V_o"], w)

    _, (logits, w) = jax.lax.scan(step, last, jnp.moveaxis(params["tgt_emb"][tgt], 1, 0))
    return jnp.moveaxis(logits, 0, 1), jnp.moveaxis(w, 0, 1)


def make_params(key, vs, vt, e, h):
    shapes = dict(src_emb=(vs, e), W_x=(e, h), W_h=(h, h), W_a=(h, h), tgt_emb=(vt, e), V_x=(e + h, h), V_h=(h, h), V_o=(h, vt))
    keys = jax.random.split(key, len(shapes))
    return {n: 0.1 * jax.random.normal(k, s) for k, (n, s) in zip(keys, shapes.items())}


if __name__ == "__main__":
    params = make_params(jax.random.PRNGKey(0), 90, 70, 16, 32)
    logits, w = translate(params, jnp.ones((4, 9), jnp.int32), jnp.ones((4, 6), jnp.int32))
    print(logits.shape, w.shape)
