import jax
import jax.numpy as jnp
import flax.linen as nn


def segment_softmax(logits, segment_ids, num_segments):
    maxs = jax.ops.segment_max(logits, segment_ids, num_segments)
    exp = jnp.exp(logits - maxs[segment_ids])
    total = jax.ops.segment_sum(exp, segment_ids, num_segments)
    return exp / total[segment_ids]


class GATLayer(nn.Module):
    features: int
    heads: int = 4
    negative_slope: float = 0.2

    @nn.compact
    def __call__(self, nodes, senders, receivers):
        n = nodes.shape[0]
        h = nn.Dense(self.heads * self.features, use_bias=False)(nodes)
        h = h.reshape(n, self.heads, self.features)

        a_src = self.param("a_src", nn.initializers.glorot_uniform(), (self.heads, self.features))
        a_dst = self.param("a_dst", nn.initializers.glorot_uniform(), (self.heads, self.features))
        logits = (h * a_src).sum(-1)[senders] + (h * a_dst).sum(-1)[receivers]
        logits = nn.leaky_relu(logits, self.negative_slope)

        alpha = segment_softmax(logits, receivers, n)
        messages = h[senders] * alpha[..., None]
        out = jax.ops.segment_sum(messages, receivers, n)
        return out.reshape(n, self.heads * self.features)


class GAT(nn.Module):
    classes: int

    @nn.compact
    def __call__(self, nodes, senders, receivers):
        x = nn.elu(GATLayer(8)(nodes, senders, receivers))
        return GATLayer(self.classes, heads=1)(x, senders, receivers)
