import keras
from keras import layers, ops


class LateInteraction(keras.Model):
    """Sum over query tokens of the best cosine with a document token."""

    def __init__(self, vocab, width=128, dim=32, **kw):
        super().__init__(**kw)
        self.embed = layers.Embedding(vocab, width)
        self.encoder = layers.Bidirectional(layers.LSTM(width // 2, return_sequences=True))
        self.project = layers.Dense(dim, use_bias=False)

    def encode(self, ids):
        x = self.project(self.encoder(self.embed(ids)))
        x = x / (ops.norm(x, axis=-1, keepdims=True) + 1e-8)
        # padding has no direction: its cosine with anything is 0
        return x * ops.expand_dims(ops.cast(ids != 0, x.dtype), -1)

    def score(self, q, d):
        sim = ops.einsum("bqe,bde->bqd", q, d)
        best = ops.max(sim, axis=2)
        return ops.sum(best, axis=-1)

    def call(self, inputs):
        query, positive, negative = inputs
        q = self.encode(query)
        pos = self.score(q, self.encode(positive))
        neg = self.score(q, self.encode(negative))
        return ops.stack([pos, neg], axis=-1)


if __name__ == "__main__":
    import numpy as np
    rng = np.random.default_rng(0)
    ids = lambda n: rng.integers(1, 500, (8, n)).astype("int32")
    print(LateInteraction(500)((ids(12), ids(80), ids(80))).shape)
