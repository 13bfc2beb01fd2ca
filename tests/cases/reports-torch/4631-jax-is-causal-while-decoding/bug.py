import jax
import jax.numpy as jnp


def init(key, width, heads, depth):
    def layer(k):
        a, b = jax.random.split(k)
        return {"qkv": jax.random.normal(a, (width, 3, heads, width // heads)) * width ** -0.5,
                "out": jax.random.normal(b, (heads, width // heads, width)) * width ** -0.5}
    return [layer(k) for k in jax.random.split(key, depth)]


def attend(p, x, past):
    q, k, v = jnp.einsum("btc,cnhd->nbthd", x, p["qkv"])
    if past is not None:
        k = jnp.concatenate([past[0], k], axis=1)
        v = jnp.concatenate([past[1], v], axis=1)
    y = jax.nn.dot_product_attention(q, k, v, is_causal=True)
    return jnp.einsum("bthd,hdc->btc", y, p["out"]), (k, v)


def forward(params, x, cache=None):
    cache = cache or [None] * len(params)
    new = []
    for p, past in zip(params, cache):
        y, kv = attend(p, x, past)
        x = x + y
        new.append(kv)
    return x, new


def generate(params, prompt, steps):
    """prompt: (batch, length, width); the last output is fed back as the next input."""
    y, cache = forward(params, prompt)
    outs = [y[:, -1:]]
    for _ in range(steps - 1):
        y, cache = forward(params, outs[-1], cache)
        outs.append(y)
    return jnp.concatenate(outs, axis=1)


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0), 32, 4, 2)
    print(generate(params, jnp.ones((2, 5, 32)), 4).shape)
