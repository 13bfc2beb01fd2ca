import jax
import jax.numpy as jnp


def dense(key, n_in, n_out):
    return jax.random.normal(key, (n_in, n_out)) / jnp.sqrt(n_in)


def init_decoder(key, vocab, emb, hid):
    keys = jax.random.split(key, 6)
    return {
        "emb": jax.random.normal(keys[0], (vocab, emb)),
        "Wa": dense(keys[1], hid, hid),
        "Wx": dense(keys[2], emb, hid),
        "Wc": dense(keys[3], hid, hid),
        "Wh": dense(keys[4], hid, hid),
        "Wo": dense(keys[5], 2 * hid, vocab),
    }


def decode(params, memory, h0, tokens):
    """memory (B, S, H), h0 (B, H), tokens (B, T)"""

    def step(h, tok):
        scores = jnp.einsum("bh,bsh->bs", h @ params["Wa"], memory)
        context = jnp.einsum("bs,bsh->bh", jax.nn.softmax(scores, axis=-1), memory)
        x = params["emb"][tok]
        h = jnp.tanh(x @ params["Wx"] + context @ params["Wc"] + h @ params["Wh"])
        return h, jnp.concatenate([h, context], axis=-1) @ params["Wo"]

    _, logits = jax.lax.scan(step, h0, tokens.T)
    return logits


def loss_fn(params, memory, h0, tokens):
    log_probs = jax.nn.log_softmax(decode(params, memory, h0, tokens[:, :-1]))
    targets = jax.nn.one_hot(tokens[:, 1:], log_probs.shape[-1])
    return -jnp.mean(jnp.sum(targets * log_probs, axis=-1))


if __name__ == "__main__":
    params = init_decoder(jax.random.PRNGKey(0), 40, 16, 24)
    memory = jax.random.normal(jax.random.PRNGKey(1), (4, 9, 24))
    tokens = jax.random.randint(jax.random.PRNGKey(2), (4, 8), 0, 40)
    loss, grads = jax.value_and_grad(loss_fn)(params, memory, jnp.zeros((4, 24)), tokens)
    print(loss)
