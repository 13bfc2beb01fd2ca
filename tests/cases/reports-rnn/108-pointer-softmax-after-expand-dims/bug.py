import keras
from keras import ops
from keras.layers import Dense, Layer


class PointerAttention(Layer):
    def __init__(self, attn_size, **kwargs):
        super().__init__(**kwargs)
        self.w_passage = Dense(attn_size, use_bias=False)
        self.w_state = Dense(attn_size, use_bias=False)
        self.v = Dense(1, use_bias=False)

    def call(self, passage, state):
        s = ops.tanh(self.w_passage(passage) + ops.expand_dims(self.w_state(state), 1))
        logits = ops.squeeze(self.v(s), -1)
        scores = ops.softmax(ops.expand_dims(logits, -1))
        pooled = ops.sum(scores * passage, axis=1)
        return logits, pooled


class PointerNet(keras.Model):
    """Start and end position of the answer."""

    def __init__(self, hidden, attn_size):
        super().__init__()
        self.attention = PointerAttention(attn_size)
        self.cell = keras.layers.GRUCell(hidden)

    def call(self, passage, question_state):
        start, pooled = self.attention(passage, question_state)
        _, (state,) = self.cell(pooled, [question_state])
        end, _ = self.attention(passage, state)
        return start, end
