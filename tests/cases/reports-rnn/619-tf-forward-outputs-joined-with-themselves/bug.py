import tensorflow as tf


class Encoder(tf.keras.layers.Layer):
    def __init__(self, vocab_size, embedding_dim, units):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)
        self.fw = tf.keras.layers.LSTM(units, return_sequences=True, return_state=True)
        self.bw = tf.keras.layers.LSTM(units, return_sequences=True, return_state=True, go_backwards=True)

    def call(self, inputs):
        x = self.embedding(inputs)
        encoder_fw_outputs, fw_h, fw_c = self.fw(x)
        encoder_bw_outputs, bw_h, bw_c = self.bw(x)
        encoder_bw_outputs = tf.reverse(encoder_bw_outputs, axis=[1])
        encoder_outputs = tf.concat((encoder_fw_outputs, encoder_fw_outputs), 2)
        state_h = tf.concat((fw_h, bw_h), 1)
        state_c = tf.concat((fw_c, bw_c), 1)
        return encoder_outputs, [state_h, state_c]


class AttentionDecoder(tf.keras.layers.Layer):
    def __init__(self, vocab_size, embedding_dim, units):
        super().__init__()
        self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)
        self.lstm = tf.keras.layers.LSTM(units, return_sequences=True, return_state=True)
        self.memory_layer = tf.keras.layers.Dense(units, use_bias=False)
        self.attention_layer = tf.keras.layers.Dense(units, activation="tanh", use_bias=False)
        self.projection = tf.keras.layers.Dense(vocab_size)

    def call(self, targets, state, encoder_outputs):
        out, h, c = self.lstm(self.embedding(targets), initial_state=state)
        score = tf.matmul(out, self.memory_layer(encoder_outputs), transpose_b=True)    # (B, T_dec, T_enc)
        context = tf.matmul(tf.nn.softmax(score, axis=-1), encoder_outputs)
        return self.projection(self.attention_layer(tf.concat((context, out), 2))), [h, c]


encoder = Encoder(50, 20, 32)
decoder = AttentionDecoder(60, 20, 64)
source = tf.random.uniform((16, 9), 0, 50, dtype=tf.int32)
target = tf.random.uniform((16, 7), 0, 60, dtype=tf.int32)
encoder_outputs, state = encoder(source)
logits, _ = decoder(target, state, encoder_outputs)
print(logits.shape)
