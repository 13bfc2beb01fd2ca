import jax
import jax.numpy as jnp


def init(key, vocab, emb, hid, att):
    k = iter(jax.random.split(key, 8))
    w = lambda *s: jax.random.normal(next(k), s) * 0.1
    return dict(E=w(vocab, emb), Ws=w(hid, att), Wh=w(hid, att), wc=w(att), v=w(att), Wx=w(emb + hid, hid), Wr=w(hid, hid), Wo=w(2 * hid, vocab))


def attend(p, s, keys, memory, coverage):
    feats = keys + (s @ p["Ws"])[:, None, :] + coverage[..., None] * p["wc"]
    alpha = jax.nn.softmax(jnp.tanh(feats) @ p["v"], axis=-1)
    return jnp.einsum("bt,bth->bh", alpha, memory), alpha


@jax.jit
def decode(p, memory, s0, targets):
    """memory (B, T, hid), s0 (B, hid), targets (B, L) -> logits (B, L, vocab), coverage loss"""
    batch, src_len, _ = memory.shape
    keys = memory @ p["Wh"]
    inputs = jnp.swapaxes(p["E"][targets], 0, 1)

    def step(carry, x):
        s, coverage = carry
        context, alpha = attend(p, s, keys, memory, coverage)
        s = jnp.tanh(jnp.concatenate([x, context], -1) @ p["Wx"] + s @ p["Wr"])
        loss = jnp.minimum(alpha, coverage).sum(-1)
        logits = jnp.concatenate([s, context], -1) @ p["Wo"]
        return (s, coverage + alpha), (logits, loss)

    coverage0 = jnp.zeros((batch, src_len))
    _, (logits, cov_loss) = jax.lax.scan(step, (s0, coverage0), inputs)
    return jnp.swapaxes(logits, 0, 1), cov_loss.mean()


if __name__ == "__main__":
    params = init(jax.random.PRNGKey(0), 50, 16, 24, 20)
    memory = jax.random.normal(jax.random.PRNGKey(1), (3, 11, 24))
    logits, cov = decode(params, memory, memory.mean(1), jnp.ones((3, 6), int))
    print(logits.shape, cov)
