import jax
import jax.numpy as jnp


def init(key, n_items, d):
    ks = jax.random.split(key, 3)
    return {"items": jax.random.normal(ks[0], (n_items, d)) * 0.1,
            "proj": jax.random.normal(ks[1], (d, d)) / jnp.sqrt(d),
            "mlp": jax.random.normal(ks[2], (2 * d, 1)) / jnp.sqrt(2 * d)}


def user_interest(params, target, history, mask):
    # one score per item of the history
    scores = jnp.einsum("bd,bnd->n", target @ params["proj"], history)
    scores = jnp.where(mask, scores / jnp.sqrt(target.shape[-1]), -1e9)
    w = jax.nn.softmax(scores, axis=-1)
    return jnp.sum(w[..., None] * history, axis=-2)


@jax.jit
def click_probability(params, target_id, history_ids):
    """target_id (B,), history_ids (B, N) with 0 = padding"""
    target = params["items"][target_id]
    history = params["items"][history_ids]
    interest = user_interest(params, target, history, history_ids > 0)
    x = jnp.concatenate([interest, target], axis=-1)
    return jax.nn.sigmoid(x @ params["mlp"])[:, 0]


if __name__ == "__main__":
    key = jax.random.PRNGKey(7)
    p = init(key, 1000, 16)
    hist = jax.random.randint(key, (32, 50), 0, 1000)
    print(click_probability(p, hist[:, 0], hist).mean())
