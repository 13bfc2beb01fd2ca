import jax
import jax.numpy as jnp


def init_params(key, d_model):
    ks = jax.random.split(key, 4)
    return {n: jax.random.normal(k, (d_model, d_model)) / jnp.sqrt(d_model) for n, k in zip(("wq", "wk", "wv", "wo"), ks)}


def split_heads(x, n_heads):
    b, t, d = x.shape
    return x.reshape(b, t, n_heads, d // n_heads).transpose(0, 2, 1, 3)


def mha(params, x, n_heads, mask=None):
    b, t, d = x.shape
    q = split_heads(x @ params["wq"], n_heads)
    k = split_heads(x @ params["wk"], n_heads)
    v = split_heads(x @ params["wv"], n_heads)
    logits = jnp.einsum("bhtd,bhsd->bhts", q, k) / jnp.sqrt(q.shape[-1])
    if mask is not None:
        logits = jnp.where(mask, logits, -jnp.inf)
    attn = jax.nn.softmax(logits)
    y = jnp.einsum("bhts,bhsd->bhtd", attn, v)
    y = y.reshape(b, t, d)
    return y @ params["wo"]


if __name__ == "__main__":
    params = init_params(jax.random.PRNGKey(0), 16)
    x = jax.random.normal(jax.random.PRNGKey(1), (2, 5, 16))
    print(mha(params, x, 4, jnp.tril(jnp.ones((5, 5), bool))).shape)
