import jax
import jax.numpy as jnp


def pool(queries, frames, valid):
    """One clip. queries (C, d): one per sound class; frames (T, d); valid (T,)."""
    scores = queries @ frames.T / jnp.sqrt(queries.shape[-1])
    scores = jnp.where(valid[None, :], scores, -1e9)
    weights = jax.nn.softmax(scores, axis=-1)
    return weights @ frames


batched_pool = jax.vmap(pool, in_axes=(None, 0, 0))


def tag_logits(params, spectrograms, n_frames):
    B, T, _ = spectrograms.shape
    frames = jax.nn.relu(spectrograms @ params["w1"]) @ params["w2"]
    valid = jnp.arange(T)[None, :] < n_frames[:, None]
    per_class = batched_pool(params["queries"], frames, valid)
    return jnp.einsum("bcd,cd->bc", per_class, params["out"]) + params["bias"]


def loss(params, spectrograms, n_frames, labels):
    z = tag_logits(params, spectrograms, n_frames)
    return jnp.mean(jnp.maximum(z, 0) - z * labels + jnp.log1p(jnp.exp(-jnp.abs(z))))


def make_params(key, mels, hidden, d, classes):
    ks = jax.random.split(key, 4)
    return dict(
        w1=jax.random.normal(ks[0], (mels, hidden)) / mels ** 0.5,
        w2=jax.random.normal(ks[1], (hidden, d)) / hidden ** 0.5,
        queries=jax.random.normal(ks[2], (classes, d)),
        out=jax.random.normal(ks[3], (classes, d)) / d ** 0.5,
        bias=jnp.zeros(classes),
    )
