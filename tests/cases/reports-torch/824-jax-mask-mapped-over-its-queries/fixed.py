import jax
import jax.numpy as jnp


def dot_product_attention(query, key_, value, mask=None):
    """query: (q_seq, size), key_, value: (kv_seq, size), mask: (q_seq, kv_seq)"""
    logits = jnp.einsum("sd,Sd->sS", query / jnp.sqrt(query.shape[-1]), key_)
    if mask is not None:
        logits = jnp.where(mask, logits, jnp.finfo(logits.dtype).min)
    return jnp.einsum("sS,Sd->sd", jax.nn.softmax(logits, axis=-1), value)


def init_attention(key, num_heads, size):
    kq, kk, kv, ko = jax.random.split(key, 4)
    scale = size ** -0.5
    return {
        "heads": num_heads,
        "q": jax.random.normal(kq, (size, size)) * scale,
        "k": jax.random.normal(kk, (size, size)) * scale,
        "v": jax.random.normal(kv, (size, size)) * scale,
        "o": jax.random.normal(ko, (size, size)) * scale,
    }


def multihead_attention(params, query, key_, value, mask=None):
    """query: (q_seq, size), key_, value: (kv_seq, size), mask: (heads, q_seq, kv_seq)"""
    heads = params["heads"]
    split = lambda x, w: (x @ w).reshape(x.shape[0], heads, -1)
    q, k, v = split(query, params["q"]), split(key_, params["k"]), split(value, params["v"])
    if mask is None:
        attn = jax.vmap(dot_product_attention, in_axes=1, out_axes=1)(q, k, v)
    else:
        attn_fn = jax.vmap(dot_product_attention, in_axes=(1, 1, 1, 0), out_axes=1)
        attn = attn_fn(q, k, v, mask)
    return attn.reshape(query.shape[0], -1) @ params["o"]


if __name__ == "__main__":
    params = init_attention(jax.random.PRNGKey(0), 4, 16)
    x = jax.random.normal(jax.random.PRNGKey(1), (7, 16))
    memory = jax.random.normal(jax.random.PRNGKey(2), (9, 16))
    print(multihead_attention(params, x, memory, memory).shape)
    mask = jnp.broadcast_to(jnp.arange(9) < 6, (4, 7, 9))
    print(multihead_attention(params, x, memory, memory, mask).shape)
