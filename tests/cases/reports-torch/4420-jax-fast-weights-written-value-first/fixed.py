import jax
import jax.numpy as jnp


def init_params(key, d_model, d_head):
    kq, kk, kv, ko = jax.random.split(key, 4)
    scale = d_model ** -0.5
    return {
        "wq": scale * jax.random.normal(kq, (d_model, d_head)),
        "wk": scale * jax.random.normal(kk, (d_model, d_head)),
        "wv": scale * jax.random.normal(kv, (d_model, d_head)),
        "wo": d_head ** -0.5 * jax.random.normal(ko, (d_head, d_model)),
    }


def feature_map(x):
    return jax.nn.elu(x) + 1.0


def causal_linear_attention(params, x):
    """x: (time, d_model); one pass over the sequence with a constant-size memory."""
    q = feature_map(x @ params["wq"])
    k = feature_map(x @ params["wk"])
    v = x @ params["wv"]
    d_head = q.shape[-1]

    def step(carry, qkv):
        memory, norm = carry
        q_t, k_t, v_t = qkv
        memory = memory + jnp.outer(k_t, v_t)
        norm = norm + k_t
        y_t = (q_t @ memory) / (q_t @ norm + 1e-6)
        return (memory, norm), y_t

    start = (jnp.zeros((d_head, d_head)), jnp.zeros(d_head))
    _, y = jax.lax.scan(step, start, (q, k, v))
    return y @ params["wo"]


batched = jax.vmap(causal_linear_attention, in_axes=(None, 0))

if __name__ == "__main__":
    params = init_params(jax.random.PRNGKey(0), 32, 16)
    x = jax.random.normal(jax.random.PRNGKey(1), (4, 20, 32))
    print(batched(params, x).shape)
