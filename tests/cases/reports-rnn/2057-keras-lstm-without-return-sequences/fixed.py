import keras
from keras import layers, ops


class AttentionWithContext(layers.Layer):
    """
    Attention operation with a context vector for temporal data.
    Input shape:  (samples, steps, features)
    Output shape: (samples, features)
    """

    def build(self, input_shape):
        d = input_shape[-1]
        self.W = self.add_weight(shape=(d, d), initializer="glorot_uniform", name="W")
        self.b = self.add_weight(shape=(d,), initializer="zeros", name="b")
        self.u = self.add_weight(shape=(d, 1), initializer="glorot_uniform", name="u")

    def call(self, x):
        uit = ops.tanh(ops.matmul(x, self.W) + self.b)
        ait = ops.matmul(uit, self.u)
        a = ops.softmax(ait, axis=1)
        return ops.sum(x * a, axis=1)


def build_model(max_len=60, vocab=5000, n_classes=4):
    inp = layers.Input(shape=(max_len,))
    x = layers.Embedding(vocab, 64)(inp)
    x = layers.SpatialDropout1D(0.2)(x)
    x = layers.Bidirectional(layers.LSTM(48, return_sequences=True))(x)
    x = AttentionWithContext()(x)
    x = layers.Dense(32, activation="relu")(x)
    out = layers.Dense(n_classes, activation="softmax")(x)
    model = keras.Model(inp, out)
    model.compile(loss="categorical_crossentropy", optimizer="adam")
    return model


if __name__ == "__main__":
    build_model().summary()
