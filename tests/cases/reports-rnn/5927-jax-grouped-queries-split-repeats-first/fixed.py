import jax
import jax.numpy as jnp
from typing import NamedTuple


class Config(NamedTuple):
    d_model: int = 512
    n_q: int = 8
    n_kv: int = 2
    d_head: int = 64


def init_attention(key, cfg: Config):
    kq, kk, kv, ko = jax.random.split(key, 4)
    std = cfg.d_model ** -0.5
    return {
        "q": std * jax.random.normal(kq, (cfg.d_model, cfg.n_q * cfg.d_head)),
        "k": std * jax.random.normal(kk, (cfg.d_model, cfg.n_kv * cfg.d_head)),
        "v": std * jax.random.normal(kv, (cfg.d_model, cfg.n_kv * cfg.d_head)),
        "o": std * jax.random.normal(ko, (cfg.n_q * cfg.d_head, cfg.d_model)),
    }


def attention(params, x, cfg: Config):
    B, T, _ = x.shape
    rep = cfg.n_q // cfg.n_kv
    q = (x @ params["q"]).reshape(B, T, cfg.n_kv, rep, cfg.d_head)
    k = (x @ params["k"]).reshape(B, T, cfg.n_kv, cfg.d_head)
    v = (x @ params["v"]).reshape(B, T, cfg.n_kv, cfg.d_head)

    logits = jnp.einsum("btgrd,bsgd->bgrts", q, k) * cfg.d_head ** -0.5
    causal = jnp.tril(jnp.ones((T, T), dtype=bool))
    probs = jax.nn.softmax(jnp.where(causal, logits, -1e30), axis=-1)
    out = jnp.einsum("bgrts,bsgd->btgrd", probs, v)
    return out.reshape(B, T, -1) @ params["o"]


if __name__ == "__main__":
    cfg = Config(d_model=48, n_q=6, n_kv=2, d_head=8)
    params = init_attention(jax.random.PRNGKey(0), cfg)
    print(attention(params, jnp.ones((2, 9, 48)), cfg).shape)
