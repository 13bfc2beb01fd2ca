import jax
import jax.numpy as jnp


def init(key, d_q, d_v):
    kw, kv, ko = jax.random.split(key, 3)
    return dict(
        W=jax.random.normal(kw, (d_q, d_q)) / d_q ** 0.5,
        V=jax.random.normal(kv, (d_q, d_v)) / d_q ** 0.5,
        O=jax.random.normal(ko, (d_v, d_q)) / d_v ** 0.5,
    )


@jax.jit
def bilinear_attention(params, queries, memory, valid):
    """score(q, m) = q^T W m, softmax over the valid memory slots"""
    scores = jnp.einsum("bqd,dd,bkd->bqk", queries, params["W"], memory)
    scores = jnp.where(valid[:, None, :], scores / jnp.sqrt(queries.shape[-1]), -1e9)
    w = jax.nn.softmax(scores, axis=-1)
    read = jnp.einsum("bqk,bkd,dv->bqv", w, memory, params["V"])
    return queries + jnp.einsum("bqv,vd->bqd", read, params["O"]), w


params = init(jax.random.PRNGKey(0), 48, 32)
q = jax.random.normal(jax.random.PRNGKey(1), (4, 6, 48))
mem = jax.random.normal(jax.random.PRNGKey(2), (4, 20, 48))
valid = jnp.arange(20)[None] < jnp.array([20, 13, 7, 20])[:, None]
out, w = bilinear_attention(params, q, mem, valid)
print(out.shape, w.shape)
