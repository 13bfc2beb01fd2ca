import jax
import jax.numpy as jnp


def init_params(key, d_model, n_heads):
    d_head = d_model // n_heads
    kq, kk, kv, ko = jax.random.split(key, 4)
    return {
        "q": jax.random.normal(kq, (d_model, n_heads, d_head)) * d_model ** -0.5,
        "k": jax.random.normal(kk, (d_model, n_heads, d_head)) * d_model ** -0.5,
        "v": jax.random.normal(kv, (d_model, n_heads, d_head)) * d_model ** -0.5,
        "o": jax.random.normal(ko, (n_heads, d_head, d_model)) * d_model ** -0.5,
    }


def empty_cache(params, batch, max_len):
    _, n_heads, d_head = params["k"].shape
    zeros = jnp.zeros((batch, n_heads, max_len, d_head))
    return {"k": zeros, "v": zeros}


@jax.jit
def decode_step(params, cache, x, pos):
    """x: (batch, 1, d_model), the token at position pos."""
    q = jnp.einsum("btm,mhd->bhtd", x, params["q"])
    k = jnp.einsum("btm,mhd->bhtd", x, params["k"])
    v = jnp.einsum("btm,mhd->bhtd", x, params["v"])

    keys = jax.lax.dynamic_update_slice(cache["k"], k, (0, pos, 0, 0))
    values = jax.lax.dynamic_update_slice(cache["v"], v, (0, pos, 0, 0))

    scores = jnp.einsum("bhtd,bhsd->bhts", q, keys) * q.shape[-1] ** -0.5
    written = jnp.arange(keys.shape[2]) <= pos
    scores = jnp.where(written, scores, -1e30)
    y = jnp.einsum("bhts,bhsd->bhtd", jax.nn.softmax(scores, axis=-1), values)
    return jnp.einsum("bhtd,hdm->btm", y, params["o"]), {"k": keys, "v": values}


def decode(params, tokens, max_len):
    cache, outputs = empty_cache(params, tokens.shape[0], max_len), []
    for pos in range(tokens.shape[1]):
        y, cache = decode_step(params, cache, tokens[:, pos:pos + 1], pos)
        outputs.append(y)
    return jnp.concatenate(outputs, axis=1)


if __name__ == "__main__":
    params = init_params(jax.random.PRNGKey(0), 32, 4)
    print(decode(params, jax.random.normal(jax.random.PRNGKey(1), (2, 6, 32)), max_len=16).shape)
