import tensorflow as tf


class AttentionDecoder(tf.keras.Model):
    def __init__(self, vocab_size, embedding_dim, units):
        super().__init__()
        self.vocab_size = vocab_size
        self.embedding = tf.keras.layers.Embedding(vocab_size, embedding_dim)
        self.cell = tf.keras.layers.GRUCell(units)
        self.W_memory = tf.keras.layers.Dense(units, use_bias=False)
        self.attention_layer = tf.keras.layers.Dense(units, activation="tanh", use_bias=False)
        self.fc = tf.keras.layers.Dense(vocab_size)

    def step(self, tokens, state, attention, memory):
        # tokens: (rows,), state, attention: (rows, units), memory: (rows, max_time, units)
        inputs = tf.concat([self.embedding(tokens), attention], axis=-1)
        output, _ = self.cell(inputs, [state])
        score = tf.matmul(self.W_memory(memory), tf.expand_dims(output, 2))
        alignments = tf.nn.softmax(score, axis=1)
        context = tf.reduce_sum(alignments * memory, axis=1)
        attention = self.attention_layer(tf.concat([output, context], axis=-1))
        return self.fc(attention), output, attention

    def beam_search(self, enc_output, enc_state, beam_width, start, max_len=20):
        batch_size = tf.shape(enc_output)[0]
        memory = enc_output
        state = tf.repeat(enc_state, beam_width, axis=0)
        attention = tf.zeros_like(state)
        tokens = tf.fill([batch_size * beam_width], start)
        log_probs = tf.tile([[0.0] + [-1e9] * (beam_width - 1)], [batch_size, 1])
        sequences = tokens[:, None]
        offset = tf.repeat(tf.range(batch_size) * beam_width, beam_width)
        for _ in range(max_len):
            logits, state, attention = self.step(tokens, state, attention, memory)
            scores = tf.reshape(tf.nn.log_softmax(logits), [batch_size, beam_width, self.vocab_size])
            total = tf.reshape(scores + log_probs[:, :, None], [batch_size, -1])
            log_probs, index = tf.math.top_k(total, k=beam_width)
            rows = tf.reshape(index // self.vocab_size, [-1]) + offset
            tokens = tf.reshape(index % self.vocab_size, [-1])
            state, attention = tf.gather(state, rows), tf.gather(attention, rows)
            sequences = tf.concat([tf.gather(sequences, rows), tokens[:, None]], axis=1)
        return tf.reshape(sequences, [batch_size, beam_width, -1]), log_probs
