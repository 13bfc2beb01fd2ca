import jax
import jax.numpy as jnp


def attend(W, query, keys):
    """W (d_s, d_h), query (d_s,), keys (T, d_h)"""
    scores = keys @ (query @ W)
    weights = jax.nn.softmax(scores)
    return weights @ keys, weights


batched = jax.vmap(attend, in_axes=(None, 0, 0))


def read(params, queries, memory):
    """queries (B, d_s), memory (B, T, d_h)"""
    context, weights = batched(params["W"], queries, memory)
    return jnp.concatenate([queries, context], axis=-1), weights


if __name__ == "__main__":
    key = jax.random.PRNGKey(0)
    params = {"W": jax.random.normal(key, (6, 8))}
    out, w = read(params, jnp.ones((4, 6)), jnp.ones((4, 5, 8)))
    print(out.shape, w.shape)
