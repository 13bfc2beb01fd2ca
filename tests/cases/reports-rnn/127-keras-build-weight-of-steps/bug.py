import keras
from keras import ops
from keras.layers import Layer


class AttentionLayer(Layer):
    """
    Attention over the output of an LSTM with return_sequences=True.
    (samples, steps, features) -> (samples, features)
    """

    def __init__(self, **kwargs):
        self.supports_masking = True
        super().__init__(**kwargs)

    def build(self, input_shape):
        self.W = self.add_weight(shape=(input_shape[1], input_shape[1]), initializer="glorot_uniform", name="W")
        self.b = self.add_weight(shape=(input_shape[2],), initializer="zeros", name="b")
        self.u = self.add_weight(shape=(input_shape[2],), initializer="uniform", name="u")
        super().build(input_shape)

    def call(self, x, mask=None):
        uit = ops.tanh(ops.matmul(x, self.W) + self.b)
        ait = ops.sum(uit * self.u, axis=-1)
        if mask is not None:
            ait = ops.where(mask, ait, -1e9)
        a = ops.expand_dims(ops.softmax(ait, axis=-1), -1)
        return ops.sum(x * a, axis=1)


if __name__ == "__main__":
    inputs = keras.Input((20, 32))
    h = keras.layers.LSTM(64, return_sequences=True)(inputs)
    print(AttentionLayer()(h).shape)
