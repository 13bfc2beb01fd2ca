import jax
import jax.numpy as jnp


def init_attention(key, features, head_dim):
    k1, k2, k3 = jax.random.split(key, 3)
    init = jax.nn.initializers.glorot_uniform()
    return {
        "query": init(k1, (features, head_dim)),
        "key": init(k2, (features, head_dim)),
        "value": init(k3, (features, head_dim)),
    }


def dot_product_attention(params, inputs):
    """inputs: [batch, length, features]"""
    query = inputs @ params["query"]
    key = inputs @ params["key"]
    value = inputs @ params["value"]

    logits = jnp.einsum("bqd,bkd->bqk", query, key) / jnp.sqrt(query.shape[-1])
    weights = jax.nn.softmax(logits, axis=-1)
    output = jnp.einsum("bqk,bqd->bkd", weights, value)
    return output, weights


@jax.jit
def loss_fn(params, inputs, targets):
    output, _ = dot_product_attention(params, inputs)
    return jnp.mean((output - targets) ** 2)
