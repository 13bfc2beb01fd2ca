import tensorflow as tf


class BahdanauAttention(tf.keras.layers.Layer):
    def __init__(self, units):
        super(BahdanauAttention, self).__init__()
        self.W1 = tf.keras.layers.Dense(units)
        self.W2 = tf.keras.layers.Dense(units)
        self.V = tf.keras.layers.Dense(1)

    def call(self, query, values, mask):
        query_with_time_axis = tf.expand_dims(query, 1)
        score = self.V(tf.nn.tanh(self.W1(query_with_time_axis) + self.W2(values)))
        # mask: 1 where the token is padding, shape (batch_size, max_length)
        score += tf.expand_dims(mask, -1) * -1e9
        attention_weights = tf.nn.softmax(score, axis=1)
        context_vector = tf.reduce_sum(attention_weights * values, axis=1)
        return context_vector, attention_weights


if __name__ == "__main__":
    src = tf.constant([[4, 5, 6, 0, 0], [3, 1, 0, 0, 0], [9, 8, 7, 6, 5]])
    mask = tf.cast(tf.math.equal(src, 0), tf.float32)
    layer = BahdanauAttention(10)
    ctx, w = layer(tf.random.normal((3, 12)), tf.random.normal((3, 5, 8)), mask)
    print(ctx.shape, w.shape)
