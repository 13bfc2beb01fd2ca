import tensorflow as tf


class AttentionCell(tf.keras.layers.Layer):
    """GRU cell with input feeding over CNN columns (text recognition)."""

    def __init__(self, units):
        super().__init__()
        self.gru = tf.keras.layers.GRUCell(units)
        self.query_layer = tf.keras.layers.Dense(units, use_bias=False)
        self.memory_layer = tf.keras.layers.Dense(units, use_bias=False)
        self.v = tf.keras.layers.Dense(1, use_bias=False)
        self.attention_layer = tf.keras.layers.Dense(units, use_bias=False)

    def call(self, inputs, state, attention, memory):
        cell_inputs = tf.concat([inputs, attention], -1)
        output, state = self.gru(cell_inputs, state)
        query = tf.expand_dims(self.query_layer(output), 1)
        score = self.v(tf.nn.tanh(self.memory_layer(memory) + query))      # (B, T, 1)
        alignments = tf.nn.softmax(score, axis=1)
        context = tf.reduce_sum(alignments * memory, axis=1)
        return self.attention_layer(tf.concat([output, context], -1)), state


class OCRDecoder(tf.keras.Model):
    def __init__(self, num_chars, units=256, embed_dim=64):
        super().__init__()
        self.units = units
        self.embedding = tf.keras.layers.Embedding(num_chars, embed_dim)
        self.cell = AttentionCell(units)
        self.fc = tf.keras.layers.Dense(num_chars)

    def call(self, memory, labels):
        batch = tf.shape(memory)[0]
        state, attention = tf.zeros((batch, self.units)), tf.zeros((batch, self.units))
        logits = []
        for t in range(labels.shape[1]):
            symbol = tf.cast(labels[:, t], tf.float32)
            attention, state = self.cell(symbol, state, attention, memory)
            logits.append(self.fc(attention))
        return tf.stack(logits, axis=1)


if __name__ == "__main__":
    features = tf.random.normal((64, 25, 512))
    labels = tf.random.uniform((64, 7), 0, 38, dtype=tf.int32)
    print(OCRDecoder(38)(features, labels).shape)
