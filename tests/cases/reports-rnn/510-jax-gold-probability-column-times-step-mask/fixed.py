import jax
import jax.numpy as jnp


def attention(params, s, memory, src_mask):
    e = jnp.tanh(memory @ params["W_h"] + (s @ params["W_s"])[:, None, :]) @ params["v"]
    e = jnp.where(src_mask, e, -1e9)
    a = jax.nn.softmax(e, axis=1)
    return jnp.einsum("bt,bth->bh", a, memory), a


def final_dist(params, s, context, a, src_ids):
    joint = jnp.concatenate([s, context], axis=1)
    p_gen = jax.nn.sigmoid(joint @ params["w_gen"])              # (B, 1)
    vocab = p_gen * jax.nn.softmax(joint @ params["W_out"], axis=1)
    rows = jnp.arange(src_ids.shape[0])[:, None]
    return vocab.at[rows, src_ids].add((1 - p_gen) * a)


def step_loss(params, s, memory, src_ids, target, step_mask):
    """Negative log likelihood of one decoder step; step_mask is 0. for finished summaries."""
    context, a = attention(params, s, memory, src_ids != 0)
    dist = final_dist(params, s, context, a, src_ids)
    gold = jnp.take_along_axis(dist, target[:, None], axis=1)[:, 0]
    loss = -jnp.log(gold + 1e-12) * step_mask
    return loss.sum() / step_mask.sum()


if __name__ == "__main__":
    B, T, H, A, V = 4, 9, 8, 6, 50
    k = jax.random.split(jax.random.PRNGKey(0), 8)
    params = {
        "W_h": jax.random.normal(k[0], (H, A)), "W_s": jax.random.normal(k[1], (H, A)), "v": jax.random.normal(k[2], (A,)),
        "w_gen": jax.random.normal(k[3], (2 * H, 1)), "W_out": jax.random.normal(k[4], (2 * H, V)),
    }
    src = jax.random.randint(k[5], (B, T), 1, V)
    mem, s = jax.random.normal(k[6], (B, T, H)), jax.random.normal(k[7], (B, H))
    print(step_loss(params, s, mem, src, jnp.array([3, 7, 9, 1]), jnp.array([1.0, 1.0, 0.0, 1.0])))
