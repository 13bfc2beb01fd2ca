import jax
import jax.numpy as jnp
from jax import lax


def lstm_step(p, carry, x):
    h, c = carry
    i, f, g, o = jnp.split(jnp.concatenate([x, h], axis=-1) @ p["W"] + p["b"], 4, axis=-1)
    c = jax.nn.sigmoid(f + 1.0) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
    h = jax.nn.sigmoid(o) * jnp.tanh(c)
    return h, c


def encoder(p, docs):
    """docs (batch, time, emb) -> outputs (batch, time, units), final state"""
    zeros = jnp.zeros((docs.shape[0], p["b"].shape[0] // 4))

    def step(carry, x):
        carry = lstm_step(p, carry, x)
        return carry, carry[0]

    state, outputs = lax.scan(step, (zeros, zeros), jnp.swapaxes(docs, 0, 1))
    return jnp.swapaxes(outputs, 0, 1), state


def luong(p, h, memory):
    """h (batch, units), memory (batch, time, units)"""
    scores = jnp.sum((h @ p["W_m"])[:, None, :] * memory, axis=-1)
    weights = jax.nn.softmax(scores, axis=-1)
    context = jnp.sum(weights[..., None] * memory, axis=1)
    return jnp.tanh(jnp.concatenate([h, context], axis=-1) @ p["W_c"])


def generate_question(params, docs, questions):
    encoder_outputs, state = encoder(params["enc"], docs)
    # attention_states: [batch_size, max_time, num_units]
    attention_states = jnp.transpose(encoder_outputs, (1, 0, 2))

    def step(carry, x):
        state, attention = carry
        state = lstm_step(params["dec"], state, jnp.concatenate([x, attention], axis=-1))
        attention = luong(params["att"], state[0], attention_states)
        return (state, attention), attention @ params["out"]

    first = jnp.zeros_like(state[0])
    _, logits = lax.scan(step, (state, first), jnp.swapaxes(questions, 0, 1))
    return jnp.swapaxes(logits, 0, 1)


def init(key, emb, units, vocab):
    k = jax.random.split(key, 5)
    cell = lambda key, n_in: {"W": jax.random.normal(key, (n_in + units, 4 * units)) * 0.1, "b": jnp.zeros(4 * units)}
    att = {"W_m": jax.random.normal(k[2], (units, units)) * 0.1, "W_c": jax.random.normal(k[3], (2 * units, units)) * 0.1}
    return {"enc": cell(k[0], emb), "dec": cell(k[1], emb + units), "att": att, "out": jax.random.normal(k[4], (units, vocab))}


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0), 30, 24, 80)
    print(generate_question(params, jnp.ones((15, 99, 30)), jnp.ones((15, 12, 30))).shape)
