import keras
from keras import layers, ops


class ConcatAttention(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.hidden = layers.Dense(units, activation="tanh")
        self.score = layers.Dense(1, use_bias=False)

    def call(self, state, memory):
        steps = ops.shape(memory)[1]
        tiled = ops.repeat(ops.expand_dims(state, 1), steps, axis=1)
        e = self.score(self.hidden(ops.concatenate([tiled, memory], axis=-1)))
        a = ops.softmax(e, axis=1)
        return ops.sum(a * memory, axis=1), a


class CaptionDecoder(keras.Model):
    def __init__(self, vocab, emb=32, units=48):
        super().__init__()
        self.units = units
        self.embedding = layers.Embedding(vocab, emb)
        self.cell = layers.GRUCell(units)
        self.attention = ConcatAttention(units)
        self.init_state = layers.Dense(units, activation="tanh")
        self.out = layers.Dense(vocab)

    def call(self, inputs):
        regions, words = inputs
        h = self.init_state(ops.mean(regions, axis=1))
        emb = self.embedding(words)
        logits = []
        for t in range(words.shape[1]):
            context, _ = self.attention(h, regions)
            h, _ = self.cell(ops.concatenate([emb[:, t], context], axis=-1), [h])
            logits.append(self.out(ops.concatenate([h, context], axis=-1)))
        return ops.stack(logits, axis=1)
