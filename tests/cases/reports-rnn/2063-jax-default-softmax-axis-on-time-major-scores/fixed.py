from functools import partial

import jax
import jax.numpy as jnp


def init(key, n_in, n_hidden, n_att):
    k1, k2, k3, k4, k5 = jax.random.split(key, 5)
    return {
        "Wx": jax.random.normal(k1, (n_in, n_hidden)) * 0.1,
        "Wh": jax.random.normal(k2, (n_hidden, n_hidden)) * 0.1,
        "Wa": jax.random.normal(k3, (n_hidden, n_att)) * 0.1,
        "ba": jnp.zeros(n_att),
        "va": jax.random.normal(k4, (n_att,)) * 0.1,
        "Wo": jax.random.normal(k5, (n_hidden, 1)) * 0.1,
    }


def rnn(params, xs):
    """xs: (time, batch, features), as lax.scan wants it"""
    def step(h, x):
        h = jnp.tanh(x @ params["Wx"] + h @ params["Wh"])
        return h, h

    h0 = jnp.zeros((xs.shape[1], params["Wh"].shape[0]))
    _, hs = jax.lax.scan(step, h0, xs)
    return hs


def attention_pool(params, hs):
    scores = jnp.tanh(hs @ params["Wa"] + params["ba"]) @ params["va"]
    weights = jax.nn.softmax(scores, axis=0)
    return jnp.sum(weights[..., None] * hs, axis=0), weights


@jax.jit
def predict(params, xs):
    hs = rnn(params, xs)
    pooled, _ = attention_pool(params, hs)
    return (pooled @ params["Wo"]).squeeze(-1)


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0), 6, 32, 16)
    xs = jax.random.normal(jax.random.PRNGKey(1), (50, 8, 6))
    print(predict(params, xs).shape)
