import tensorflow as tf


class LuongAttention(tf.keras.Model):
    def __init__(self, rnn_size, attention_func="general"):
        super().__init__()
        self.attention_func = attention_func
        if attention_func not in ["dot", "general"]:
            raise ValueError("Unknown attention score function!")
        if attention_func == "general":
            self.wa = tf.keras.layers.Dense(rnn_size)

    def call(self, decoder_output, encoder_output):
        if self.attention_func == "general":
            encoder_keys = self.wa(encoder_output)
        else:
            encoder_keys = encoder_output
        # score: (batch_size, 1, max_len)
        score = tf.matmul(decoder_output, encoder_keys, transpose_b=True)
        alignment = tf.nn.softmax(score, axis=2)
        context = tf.matmul(alignment, encoder_output)
        return context, alignment


class Decoder(tf.keras.Model):
    def __init__(self, vocab_size, embedding_size, rnn_size, attention_func):
        super().__init__()
        self.attention = LuongAttention(rnn_size, attention_func)
        self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_size)
        self.lstm = tf.keras.layers.LSTM(rnn_size, return_sequences=True, return_state=True)
        self.wc = tf.keras.layers.Dense(rnn_size, activation="tanh")
        self.ws = tf.keras.layers.Dense(vocab_size)

    def call(self, sequence, state, encoder_output):
        embed = self.embedding(sequence)
        lstm_out, state_h, state_c = self.lstm(embed, initial_state=state)
        context, alignment = self.attention(lstm_out, encoder_output)
        lstm_out = tf.concat([tf.squeeze(context, 1), tf.squeeze(lstm_out, 1)], 1)
        return self.ws(self.wc(lstm_out)), state_h, state_c, alignment


if __name__ == "__main__":
    decoder = Decoder(1000, 32, 64, "general")
    encoder_output = tf.random.normal((5, 12, 64))
    state = [tf.zeros((5, 64)), tf.zeros((5, 64))]
    logits, h, c, alignment = decoder(tf.ones((5, 1), tf.int32), state, encoder_output)
    print(logits.shape, alignment.shape)
