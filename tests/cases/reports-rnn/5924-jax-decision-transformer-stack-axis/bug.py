import jax
import jax.numpy as jnp


def dense(key, n_in, n_out):
    return jax.random.normal(key, (n_in, n_out)) / jnp.sqrt(n_in)


def init_params(key, d_state, d_action, width, max_steps):
    k = jax.random.split(key, 8)
    return {
        "rtg": dense(k[0], 1, width),
        "state": dense(k[1], d_state, width),
        "action": dense(k[2], d_action, width),
        "time": 0.02 * jax.random.normal(k[3], (max_steps, width)),
        "q": dense(k[4], width, width),
        "k": dense(k[5], width, width),
        "v": dense(k[6], width, width),
        "head": dense(k[7], width, d_action),
    }


def causal_attention(params, x):
    n, d = x.shape[1:]
    q, k, v = x @ params["q"], x @ params["k"], x @ params["v"]
    s = q @ k.swapaxes(-1, -2) / jnp.sqrt(d)
    s = jnp.where(jnp.tril(jnp.ones((n, n), bool)), s, -jnp.inf)
    return x + jax.nn.softmax(s, axis=-1) @ v


def predict_actions(params, rtg, states, actions, steps):
    """rtg [B, T, 1], states [B, T, ds], actions [B, T, da], steps [B, T] -> next action for every step"""
    B, T = steps.shape
    when = params["time"][steps]
    r = rtg @ params["rtg"] + when
    s = states @ params["state"] + when
    a = actions @ params["action"] + when
    # r_1 s_1 a_1 r_2 s_2 a_2 ...
    tokens = jnp.stack([r, s, a], axis=1).reshape(B, 3 * T, -1)
    out = causal_attention(params, tokens)
    return jnp.tanh(out[:, 1::3] @ params["head"])


if __name__ == "__main__":
    p = init_params(jax.random.PRNGKey(0), 11, 3, 32, 1000)
    z = jnp.zeros((4, 20, 1))
    print(predict_actions(p, z, jnp.ones((4, 20, 11)), jnp.ones((4, 20, 3)), jnp.arange(20)[None].repeat(4, 0)).shape)
