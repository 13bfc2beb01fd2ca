import flax.linen as nn
import jax
import jax.numpy as jnp


class SelfAttention2D(nn.Module):
    """Self-attention over all pixels of a feature map (NHWC)."""
    ch: int

    @nn.compact
    def __call__(self, x):
        bs, h, w, c = x.shape
        f = nn.Conv(self.ch // 8, (1, 1), name="f_conv")(x)   # [bs, h, w, c']
        g = nn.Conv(self.ch // 8, (1, 1), name="g_conv")(x)   # [bs, h, w, c']
        v = nn.Conv(self.ch, (1, 1), name="h_conv")(x)        # [bs, h, w, c]

        v = v.reshape(bs, h * w, self.ch)
        s = jnp.matmul(g, jnp.swapaxes(f, -1, -2))            # [bs, N, N]
        beta = jax.nn.softmax(s, axis=-1)                     # attention map
        o = jnp.matmul(beta, v)                               # [bs, N, C]
        o = o.reshape(bs, h, w, self.ch)

        gamma = self.param("gamma", nn.initializers.zeros, (1,))
        return gamma * o + x


if __name__ == "__main__":
    layer = SelfAttention2D(16)
    x = jnp.ones((2, 4, 6, 16))
    params = layer.init(jax.random.PRNGKey(0), x)
    print(layer.apply(params, x).shape)
