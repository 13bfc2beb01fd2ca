import tensorflow as tf
from tensorflow.keras import layers


class AttentionPooling(layers.Layer):
    """learned query over the BiLSTM states"""

    def __init__(self, units):
        super().__init__()
        self.proj = layers.Dense(units, activation="tanh")
        self.score = layers.Dense(1, use_bias=False)

    def call(self, states, mask=None):
        e = tf.squeeze(self.score(self.proj(states)), axis=-1)      # (batch, time)
        if mask is not None:
            e += (1.0 - tf.cast(mask, e.dtype)) * -1e9
        a = tf.nn.softmax(e, axis=-1)
        return tf.tensordot(a, states, axes=[[1], [1]])


class ReviewClassifier(tf.keras.Model):
    def __init__(self, vocab, classes=2):
        super().__init__()
        self.emb = layers.Embedding(vocab, 100, mask_zero=True)
        self.rnn = layers.Bidirectional(layers.LSTM(64, return_sequences=True))
        self.pool = AttentionPooling(64)
        self.head = layers.Dense(classes)

    def call(self, ids):
        x = self.emb(ids)
        mask = self.emb.compute_mask(ids)
        return self.head(self.pool(self.rnn(x, mask=mask), mask=mask))


if __name__ == "__main__":
    ids = tf.constant([[5, 9, 2, 0, 0], [7, 1, 1, 3, 8], [4, 4, 0, 0, 0]])
    print(ReviewClassifier(20)(ids).shape)
