from typing import NamedTuple

import jax
import jax.numpy as jnp


class Config(NamedTuple):
    vocab: int = 100
    features: int = 64
    heads: int = 4
    max_len: int = 32

    @property
    def head_dim(self):
        return self.features // self.heads


def init_params(key, cfg):
    ks = jax.random.split(key, 5)
    s = cfg.features ** -0.5
    proj = lambda k: s * jax.random.normal(k, (cfg.features, cfg.heads, cfg.head_dim))
    return {
        "embed": jax.random.normal(ks[0], (cfg.vocab, cfg.features)),
        "q": proj(ks[1]), "k": proj(ks[2]), "v": proj(ks[3]),
        "o": s * jax.random.normal(ks[4], (cfg.heads, cfg.head_dim, cfg.features)),
    }


def init_cache(cfg, batch):
    shape = (batch, cfg.max_len, cfg.heads, cfg.features)
    return {"k": jnp.zeros(shape), "v": jnp.zeros(shape), "index": jnp.array(0, jnp.int32)}


def decode_step(params, cache, token):
    x = params["embed"][token]
    q, k, v = (jnp.einsum("bf,fhd->bhd", x, params[n]) for n in "qkv")
    i = cache["index"]
    keys = jax.lax.dynamic_update_slice(cache["k"], k[:, None], (0, i, 0, 0))
    values = jax.lax.dynamic_update_slice(cache["v"], v[:, None], (0, i, 0, 0))

    logits = jnp.einsum("bhd,bshd->bhs", q, keys) / jnp.sqrt(q.shape[-1])
    logits = jnp.where(jnp.arange(keys.shape[1]) <= i, logits, -jnp.inf)
    out = jnp.einsum("bhs,bshd->bhd", jax.nn.softmax(logits, axis=-1), values)
    y = x + jnp.einsum("bhd,hdf->bf", out, params["o"])
    return y @ params["embed"].T, {"k": keys, "v": values, "index": i + 1}


if __name__ == "__main__":
    cfg = Config()
    params = init_params(jax.random.PRNGKey(0), cfg)
    cache, token = init_cache(cfg, 2), jnp.array([1, 1])
    for _ in range(5):
        logits, cache = decode_step(params, cache, token)
        token = logits.argmax(-1)
    print(token)
