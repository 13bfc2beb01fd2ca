import tensorflow as tf


class AttentionWithContext(tf.keras.layers.Layer):
    """
    Attention over the time steps of a recurrent layer, with a context vector.
    Input  3D tensor (samples, steps, features)
    Output 2D tensor (samples, features)
    """

    def build(self, input_shape):
        features = input_shape[-1]
        self.W = self.add_weight(shape=(features, features), initializer="glorot_uniform", name="W")
        self.b = self.add_weight(shape=(features,), initializer="zeros", name="b")
        self.u = self.add_weight(shape=(features, 1), initializer="glorot_uniform", name="u")

    def call(self, x, mask=None):
        uit = tf.tanh(tf.tensordot(x, self.W, axes=1) + self.b)
        ait = tf.squeeze(tf.tensordot(uit, self.u, axes=1), axis=-1)
        if mask is not None:
            ait = ait * tf.cast(mask, ait.dtype)
        a = tf.nn.softmax(ait, axis=1)
        return tf.reduce_sum(x * tf.expand_dims(a, -1), axis=1), a


class ReviewModel(tf.keras.Model):
    def __init__(self, vocab, units):
        super().__init__()
        self.emb = tf.keras.layers.Embedding(vocab, 32)
        self.rnn = tf.keras.layers.Bidirectional(tf.keras.layers.GRU(units, return_sequences=True))
        self.att = AttentionWithContext()
        self.out = tf.keras.layers.Dense(1, activation="sigmoid")

    def call(self, ids):
        pooled, a = self.att(self.rnn(self.emb(ids)), mask=tf.not_equal(ids, 0))
        return self.out(pooled)


if __name__ == "__main__":
    ids = tf.constant([[4, 8, 15, 16, 0, 0], [23, 42, 1, 2, 3, 5]])
    print(ReviewModel(100, 16)(ids).shape)
