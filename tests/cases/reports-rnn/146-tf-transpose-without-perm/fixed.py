import tensorflow as tf


class DotAttention(tf.keras.layers.Layer):
    def call(self, query, values):
        # query (batch, 1, units), values (batch, max_len, units)
        score = tf.matmul(query, values, transpose_b=True)
        weights = tf.nn.softmax(score, axis=-1)
        context = tf.matmul(weights, values)
        return context, weights


class Decoder(tf.keras.Model):
    def __init__(self, vocab_size, emb_dim, units):
        super(Decoder, self).__init__()
        self.embedding = tf.keras.layers.Embedding(vocab_size, emb_dim)
        self.lstm = tf.keras.layers.LSTM(units, return_sequences=True, return_state=True)
        self.attention = DotAttention()
        self.wc = tf.keras.layers.Dense(units, activation='tanh')
        self.ws = tf.keras.layers.Dense(vocab_size)

    def call(self, sequence, state, enc_output):
        embed = self.embedding(sequence)
        lstm_out, state_h, state_c = self.lstm(embed, initial_state=state)
        context, alignment = self.attention(lstm_out, enc_output)
        lstm_out = tf.concat([tf.squeeze(context, 1), tf.squeeze(lstm_out, 1)], 1)
        lstm_out = self.wc(lstm_out)
        return self.ws(lstm_out), state_h, state_c, alignment


if __name__ == "__main__":
    dec = Decoder(30, 8, 16)
    out = dec(tf.ones((4, 1), tf.int32), (tf.zeros((4, 16)), tf.zeros((4, 16))), tf.random.normal((4, 11, 16)))
    print(out[0].shape)
