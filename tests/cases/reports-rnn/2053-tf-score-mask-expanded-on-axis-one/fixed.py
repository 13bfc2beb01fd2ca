import tensorflow as tf


class MaskedBahdanau(tf.keras.layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.query_layer = tf.keras.layers.Dense(units)
        self.memory_layer = tf.keras.layers.Dense(units)
        self.v = tf.keras.layers.Dense(1)

    def call(self, query, values, mask):
        query = tf.expand_dims(query, 1)
        score = self.v(tf.nn.tanh(self.query_layer(query) + self.memory_layer(values)))

        # do not look at <pad>
        mask = tf.cast(mask, score.dtype)
        score += (1.0 - tf.expand_dims(mask, -1)) * -1e9

        attention_weights = tf.nn.softmax(score, axis=1)
        context_vector = tf.reduce_sum(attention_weights * values, axis=1)
        return context_vector, attention_weights


if __name__ == "__main__":
    BATCH_SIZE, units = 4, 32
    inp = tf.constant([[2, 8, 5, 3, 0, 0, 0],
                       [2, 9, 9, 4, 7, 3, 0],
                       [2, 6, 3, 0, 0, 0, 0],
                       [2, 5, 4, 8, 8, 1, 3]])
    embedding = tf.keras.layers.Embedding(10, 16)
    encoder = tf.keras.layers.GRU(units, return_sequences=True, return_state=True)
    enc_output, enc_hidden = encoder(embedding(inp))
    attention = MaskedBahdanau(10)
    context_vector, weights = attention(enc_hidden, enc_output, inp != 0)
    print(context_vector.shape, weights.shape)
