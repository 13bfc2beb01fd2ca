import keras
from keras import layers, ops


class MaskedAttentionPooling(layers.Layer):
    """Weights the steps of a sequence by relevance, ignoring padded ones."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.hidden = layers.Dense(units, activation="tanh")
        self.score = layers.Dense(1, use_bias=False)

    def call(self, inputs, mask=None):
        e = ops.squeeze(self.score(self.hidden(inputs)), axis=-1)
        if mask is not None:
            e = e + ops.cast(mask, e.dtype) * -1e9
        alpha = ops.softmax(e, axis=-1)
        return ops.sum(inputs * ops.expand_dims(alpha, -1), axis=1)

    def compute_mask(self, inputs, mask=None):
        return None


class ReviewClassifier(keras.Model):
    def __init__(self, vocab_size, emb_dim=64, units=32):
        super().__init__()
        self.embedding = layers.Embedding(vocab_size, emb_dim, mask_zero=True)
        self.rnn = layers.GRU(units, return_sequences=True)
        self.pool = MaskedAttentionPooling(units)
        self.head = layers.Dense(1, activation="sigmoid")

    def call(self, ids):
        mask = self.embedding.compute_mask(ids)
        x = self.rnn(self.embedding(ids), mask=mask)
        return self.head(self.pool(x, mask=mask))
