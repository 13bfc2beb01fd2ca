import keras
from keras import layers, ops


@keras.saving.register_keras_serializable()
class Source2Token(layers.Layer):
    """DiSAN, eq. 9-10: one weight for every feature of every word, then a sum over the words."""

    def __init__(self, activation="elu", **kwargs):
        super().__init__(**kwargs)
        self.activation = keras.activations.get(activation)
        self.supports_masking = True

    def build(self, input_shape):
        d = input_shape[-1]
        self.w1 = self.add_weight(shape=(d, d), initializer="glorot_uniform", name="w1")
        self.b1 = self.add_weight(shape=(d,), initializer="zeros", name="b1")
        self.w = self.add_weight(shape=(d, d), initializer="glorot_uniform", name="w")
        self.b = self.add_weight(shape=(d,), initializer="zeros", name="b")

    def call(self, x, mask=None):
        f = self.activation(ops.matmul(x, self.w1) + self.b1)
        f = ops.matmul(f, self.w) + self.b
        if mask is not None:
            f = f + (1.0 - ops.cast(mask, f.dtype)[:, :, None]) * -1e9
        p = ops.softmax(f, axis=1)
        return ops.sum(p * x, axis=1)

    def compute_mask(self, inputs, mask=None):
        return None

    def get_config(self):
        return {**super().get_config(), "activation": keras.activations.serialize(self.activation)}


def sentence_encoder(vocab=2000, emb=100, units=64):
    ids = keras.Input((None,), dtype="int32")
    x = layers.Embedding(vocab, emb, mask_zero=True)(ids)
    x = layers.Bidirectional(layers.GRU(units, return_sequences=True))(x)
    return keras.Model(ids, Source2Token()(x))
