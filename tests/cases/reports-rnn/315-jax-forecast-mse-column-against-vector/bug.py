import jax
import jax.numpy as jnp


def lstm(params, x):
    def step(carry, x_t):
        h, c = carry
        i, f, g, o = jnp.split(jnp.concatenate([x_t, h], -1) @ params["w"] + params["b"], 4, axis=-1)
        c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    n_hidden = params["b"].shape[0] // 4
    zeros = jnp.zeros((x.shape[0], n_hidden))
    _, hs = jax.lax.scan(step, (zeros, zeros), x.swapaxes(0, 1))
    return hs.swapaxes(0, 1)


def predict(params, x):
    """Temporal attention over the LSTM states, then one number per window."""
    hs = lstm(params["lstm"], x)
    score = jnp.tanh(hs @ params["att_w"]) @ params["att_v"]
    alpha = jax.nn.softmax(score, axis=1)
    context = jnp.einsum("bt,bth->bh", alpha, hs)
    return context @ params["out_w"] + params["out_b"]


def loss_fn(params, x, y):
    pred = predict(params, x)
    return jnp.mean((pred - y) ** 2)


def init(key, n_features, n_hidden, n_att):
    k = jax.random.split(key, 4)
    glorot = jax.nn.initializers.glorot_normal()
    return {
        "lstm": {"w": glorot(k[0], (n_features + n_hidden, 4 * n_hidden)), "b": jnp.zeros(4 * n_hidden)},
        "att_w": glorot(k[1], (n_hidden, n_att)),
        "att_v": jax.random.normal(k[2], (n_att,)),
        "out_w": glorot(k[3], (n_hidden, 1)),
        "out_b": jnp.zeros(1),
    }


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0), n_features=7, n_hidden=32, n_att=16)
    x = jax.random.normal(jax.random.PRNGKey(1), (128, 24, 7))
    y = x[:, -1, 0]          # next value of the first series
    for _ in range(5):
        loss, grads = jax.value_and_grad(loss_fn)(params, x, y)
        params = jax.tree_util.tree_map(lambda p, g: p - 0.05 * g, params, grads)
        print(loss)
