import jax
import jax.numpy as jnp


def length_mask(lengths, max_len):
    return jnp.arange(max_len) < lengths


def pool(params, states, lengths):
    # states: (batch, time, hidden)
    logits = jnp.tanh(states @ params["w"] + params["b"]) @ params["v"]
    mask = length_mask(lengths, states.shape[1])
    logits = jnp.where(mask, logits, -jnp.inf)
    alpha = jax.nn.softmax(logits, axis=1)
    return jnp.sum(alpha[..., None] * states, axis=1)


if __name__ == "__main__":
    k = jax.random.PRNGKey(0)
    params = {"w": jax.random.normal(k, (6, 5)), "b": jnp.zeros(5), "v": jnp.ones(5)}
    print(pool(params, jax.random.normal(k, (3, 7, 6)), jnp.array([7, 2, 4])).shape)
