import keras
from keras import layers, ops


class AttentionWithContext(layers.Layer):
    """
    Follows "Hierarchical Attention Networks for Document Classification".
    Input:  (samples, steps, features), put it on top of an RNN with return_sequences=True
    Output: (samples, features)
    """

    def build(self, input_shape):
        dim = input_shape[-1]
        self.W = self.add_weight(shape=(dim, dim), initializer="glorot_uniform", name="W")
        self.b = self.add_weight(shape=(dim,), initializer="zeros", name="b")
        self.u = self.add_weight(shape=(dim, 1), initializer="glorot_uniform", name="u")

    def call(self, x):
        uit = ops.tanh(ops.matmul(x, self.W) + self.b)
        a = ops.softmax(ops.matmul(uit, self.u), axis=1)
        weighted_input = x * a
        return ops.sum(weighted_input, axis=-1)


def sentiment_model(vocab_size, maxlen=100):
    return keras.Sequential([
        layers.Input((maxlen,)),
        layers.Embedding(vocab_size, 64),
        layers.SpatialDropout1D(0.3),
        layers.Bidirectional(layers.GRU(48, return_sequences=True)),
        AttentionWithContext(name="att"),
        layers.Dense(1, activation="sigmoid"),
    ])


if __name__ == "__main__":
    model = sentiment_model(20000)
    model.compile("adam", "binary_crossentropy", metrics=["accuracy"])
    model.summary()
