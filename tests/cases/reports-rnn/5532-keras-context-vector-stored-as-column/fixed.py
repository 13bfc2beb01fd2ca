import numpy as np
import keras
from keras import layers, ops


class AttentionWithContext(layers.Layer):
    """Attention of Yang et al. with a trained context vector; returns one vector per text."""

    def __init__(self, bias=True, **kwargs):
        super().__init__(**kwargs)
        self.use_bias = bias

    def build(self, input_shape):
        d = input_shape[-1]
        self.W = self.add_weight(shape=(d, d), initializer="glorot_uniform", name="W")
        if self.use_bias:
            self.b = self.add_weight(shape=(d,), initializer="zeros", name="b")
        self.u = self.add_weight(shape=(d, 1), initializer="glorot_uniform", name="u")
        super().build(input_shape)

    def call(self, x):
        uit = ops.matmul(x, self.W)
        if self.use_bias:
            uit = uit + self.b
        uit = ops.tanh(uit)
        ait = ops.squeeze(ops.matmul(uit, self.u), axis=-1)
        a = ops.exp(ait)
        a = a / (ops.sum(a, axis=1, keepdims=True) + 1e-7)
        a = ops.expand_dims(a, axis=-1)
        return ops.sum(x * a, axis=1)


class TextClassifier(keras.Model):
    def __init__(self, vocab, emb, units, n_classes):
        super().__init__()
        self.emb = layers.Embedding(vocab, emb)
        self.gru = layers.Bidirectional(layers.GRU(units, return_sequences=True))
        self.att = AttentionWithContext()
        self.out = layers.Dense(n_classes, activation="softmax")

    def call(self, ids):
        return self.out(self.att(self.gru(self.emb(ids))))


if __name__ == "__main__":
    print(TextClassifier(50, 8, 6, 4)(np.random.randint(0, 50, (3, 9))).shape)
