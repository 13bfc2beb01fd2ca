from tensorflow.keras import backend as K
from tensorflow.keras.layers import Layer, LSTM, Embedding, Dense, Input
from tensorflow.keras.models import Model


class attention(Layer):
    def __init__(self, **kwargs):
        super(attention, self).__init__(**kwargs)

    def build(self, input_shape):
        self.W = self.add_weight(name='attention_weight', shape=(input_shape[-1], 1),
                                 initializer='random_normal', trainable=True)
        self.b = self.add_weight(name='attention_bias', shape=(input_shape[1], 1),
                                 initializer='zeros', trainable=True)
        super(attention, self).build(input_shape)

    def call(self, x):
        # Alignment scores. Pass them through tanh function
        e = K.tanh(K.dot(x, self.W) + self.b)
        # Compute the weights
        alpha = K.softmax(e)
        # Compute the context vector
        context = x * alpha
        context = K.sum(context, axis=1)
        return context


def create_model(maxlen, vocab):
    inp = Input((maxlen,))
    x = Embedding(vocab, 32)(inp)
    x = LSTM(64, return_sequences=True)(x)
    x = attention()(x)
    out = Dense(1, activation='sigmoid')(x)
    return Model(inp, out)
