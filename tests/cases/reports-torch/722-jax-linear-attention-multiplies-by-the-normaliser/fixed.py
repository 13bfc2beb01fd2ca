import jax
import jax.numpy as jnp


def softmax_kernel(data, projection, is_query, eps=1e-4):
    normalizer = data.shape[-1] ** -0.25
    ratio = projection.shape[0] ** -0.5
    dash = jnp.einsum("...nd,jd->...nj", normalizer * data, projection)
    diag = jnp.sum(data ** 2, axis=-1, keepdims=True) / 2.0 * normalizer ** 2
    axes = -1 if is_query else (-1, -2)
    return ratio * (jnp.exp(dash - diag - dash.max(axis=axes, keepdims=True)) + eps)


def linear_attention(q, k, v):
    D_inv = 1.0 / jnp.einsum("...nd,...d->...n", q, k.sum(axis=-2))
    context = jnp.einsum("...nd,...ne->...de", k, v)
    return jnp.einsum("...de,...nd,...n->...ne", context, q, D_inv)


def init(key, dim, num_heads, nb_features=64):
    k1, k2, k3 = jax.random.split(key, 3)
    return {
        "qkv": jax.random.normal(k1, (dim, 3 * dim)) * dim ** -0.5,
        "out": jax.random.normal(k2, (dim, dim)) * dim ** -0.5,
        "projection": jax.random.normal(k3, (nb_features, dim // num_heads)),
    }


def performer_attention(params, x, num_heads):
    b, n, dim = x.shape
    q, k, v = jnp.split(x @ params["qkv"], 3, axis=-1)
    q, k, v = (t.reshape(b, n, num_heads, -1).transpose(0, 2, 1, 3) for t in (q, k, v))
    q = softmax_kernel(q, params["projection"], is_query=True)
    k = softmax_kernel(k, params["projection"], is_query=False)
    out = linear_attention(q, k, v)
    return out.transpose(0, 2, 1, 3).reshape(b, n, dim) @ params["out"]


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0), 64, 4)
    x = jax.random.normal(jax.random.PRNGKey(1), (2, 30, 64))
    print(performer_attention(params, x, 4).shape)
