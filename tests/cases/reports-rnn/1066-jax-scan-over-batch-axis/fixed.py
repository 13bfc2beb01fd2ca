import jax
import jax.numpy as jnp
from jax import lax


def gru_cell(params, h, x):
    z = jax.nn.sigmoid(x @ params["Wz"] + h @ params["Uz"])
    r = jax.nn.sigmoid(x @ params["Wr"] + h @ params["Ur"])
    n = jnp.tanh(x @ params["Wn"] + (r * h) @ params["Un"])
    return (1 - z) * n + z * h


def attend(params, h, memory):
    scores = jnp.einsum("bd,dk,btk->bt", h, params["Wa"], memory)
    weights = jax.nn.softmax(scores, axis=-1)
    return jnp.einsum("bt,btk->bk", weights, memory), weights


def decode(params, h0, embedded, memory):
    """Teacher forcing. embedded: (batch, steps, emb)"""

    def step(h, x):
        context, weights = attend(params, h, memory)
        h = gru_cell(params, h, jnp.concatenate([x, context], axis=-1))
        return h, (h, weights)

    h, (states, weights) = lax.scan(step, h0, jnp.swapaxes(embedded, 0, 1))
    return jnp.swapaxes(states, 0, 1) @ params["out"], weights


if __name__ == "__main__":
    batch, src_len, tgt_len, emb, hid, enc, vocab = 4, 9, 6, 8, 16, 20, 50
    keys = iter(jax.random.split(jax.random.PRNGKey(42), 12))
    init = lambda *shape: jax.random.normal(next(keys), shape) * 0.1
    params = {"Wa": init(hid, enc), "out": init(hid, vocab)}
    for gate in "zrn":
        params["W" + gate] = init(emb + enc, hid)
        params["U" + gate] = init(hid, hid)
    logits, weights = decode(params, jnp.zeros((batch, hid)), init(batch, tgt_len, emb), init(batch, src_len, enc))
    print(logits.shape)
