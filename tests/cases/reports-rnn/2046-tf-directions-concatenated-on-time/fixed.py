import tensorflow as tf


class Attention(tf.keras.layers.Layer):
    """Attention mechanism which reduces RNN outputs along the time axis."""

    def __init__(self, attention_size):
        super().__init__()
        self.hidden = tf.keras.layers.Dense(attention_size, activation="tanh")
        self.u_omega = tf.keras.layers.Dense(1, use_bias=False)

    def call(self, inputs):
        if isinstance(inputs, (list, tuple)):
            # Bi-RNN outputs: (fw, bw)
            inputs = tf.concat(inputs, axis=2)
        vu = tf.squeeze(self.u_omega(self.hidden(inputs)), axis=-1)
        alphas = tf.nn.softmax(vu, axis=1)
        return tf.reduce_sum(inputs * tf.expand_dims(alphas, -1), axis=1), alphas


class SentimentModel(tf.keras.Model):
    def __init__(self, vocab_size, embedding_dim, hidden_size, attention_size):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)
        self.birnn = tf.keras.layers.Bidirectional(
            tf.keras.layers.GRU(hidden_size, return_sequences=True), merge_mode=None)
        self.attention = Attention(attention_size)
        self.fc = tf.keras.layers.Dense(1)

    def call(self, ids):
        fw, bw = self.birnn(self.embedding(ids))
        pooled, alphas = self.attention((fw, bw))
        return tf.squeeze(self.fc(pooled), axis=-1), alphas


if __name__ == "__main__":
    model = SentimentModel(10000, 100, 150, 50)
    ids = tf.random.uniform((16, 250), maxval=10000, dtype=tf.int32)
    y_hat, alphas = model(ids)
    print(y_hat.shape, alphas.shape)
