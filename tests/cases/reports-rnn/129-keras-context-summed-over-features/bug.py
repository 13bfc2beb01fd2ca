import keras
from keras import layers, ops


class BahdanauAttention(layers.Layer):
    def __init__(self, units):
        super().__init__()
        self.W1 = layers.Dense(units)
        self.W2 = layers.Dense(units)
        self.V = layers.Dense(1)

    def call(self, query, values):
        # query hidden state shape == (batch_size, hidden size)
        # query_with_time_axis shape == (batch_size, 1, hidden size)
        # values shape == (batch_size, max_len, hidden size)
        query_with_time_axis = ops.expand_dims(query, 1)
        score = self.V(ops.tanh(self.W1(query_with_time_axis) + self.W2(values)))
        attention_weights = ops.softmax(score, axis=1)
        context_vector = attention_weights * values
        context_vector = ops.sum(context_vector, axis=-1)
        return context_vector, attention_weights


class Decoder(keras.Model):
    def __init__(self, vocab_size, embedding_dim, dec_units):
        super().__init__()
        self.embedding = layers.Embedding(vocab_size, embedding_dim)
        self.gru = layers.GRU(dec_units, return_sequences=True, return_state=True)
        self.fc = layers.Dense(vocab_size)
        self.attention = BahdanauAttention(dec_units)

    def call(self, x, hidden, enc_output):
        context_vector, attention_weights = self.attention(hidden, enc_output)
        x = self.embedding(x)
        x = ops.concatenate([ops.expand_dims(context_vector, 1), x], axis=-1)
        output, state = self.gru(x)
        output = ops.reshape(output, (-1, output.shape[2]))
        return self.fc(output), state, attention_weights
