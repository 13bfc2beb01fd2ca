import keras
from keras import layers, ops


class AttentionPooling(layers.Layer):
    """Pools (batch, time, features); `mask` is the mask of an Embedding with mask_zero."""

    def __init__(self, units, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True
        self.hidden = layers.Dense(units, activation="tanh")
        self.score = layers.Dense(1)

    def call(self, x, mask=None):
        scores = ops.squeeze(self.score(self.hidden(x)), -1)
        if mask is not None:
            scores = ops.where(mask, -1e9, scores)
        weights = ops.softmax(scores, axis=-1)
        return ops.einsum("bt,btd->bd", weights, x)

    def compute_mask(self, inputs, mask=None):
        return None


def classifier(vocab, units):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab, units, mask_zero=True)(ids)
    x = layers.LSTM(units, return_sequences=True)(x)
    x = AttentionPooling(units)(x)
    return keras.Model(ids, layers.Dense(1)(x))
