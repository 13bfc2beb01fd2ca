import tensorflow as tf

L = tf.keras.layers


class AdditiveGlimpse(L.Layer):
    def __init__(self, width):
        super().__init__()
        self.from_image, self.from_state, self.score = L.Dense(width), L.Dense(width), L.Dense(1)

    def call(self, regions, state):
        e = self.score(tf.tanh(self.from_image(regions) + self.from_state(state)[:, None, :]))
        weights = tf.nn.softmax(e, axis=1)
        return tf.reduce_sum(weights * regions, axis=1), weights


class CaptionStep(tf.keras.Model):
    def __init__(self, n_words, d_word, width):
        super().__init__()
        self.embed = L.Embedding(n_words, d_word)
        self.glimpse = AdditiveGlimpse(width)
        self.gru = L.GRU(width, return_state=True)
        self.logits = L.Dense(n_words)

    def call(self, word, regions, state):
        context, weights = self.glimpse(regions, state)
        x = self.embed(word)                       # (batch, 1, d_word)
        x = tf.concat([context, x], axis=-1)       # goes into the GRU as a sequence of length 1
        output, state = self.gru(x, initial_state=state)
        return self.logits(output), state, weights


if __name__ == "__main__":
    step = CaptionStep(n_words=5001, d_word=256, width=512)
    regions = tf.random.normal((16, 64, 192))      # 8 x 8 regions of the image
    state = tf.zeros((16, 512))
    word = tf.fill((16, 1), 3)
    logits, state, weights = step(word, regions, state)
    print(logits.shape, weights.shape)
