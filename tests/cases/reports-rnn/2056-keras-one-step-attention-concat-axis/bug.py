from keras import Model
from keras.layers import (LSTM, Activation, Bidirectional, Concatenate, Dense, Dot, Input,
                          RepeatVector, Softmax)

Tx, Ty = 30, 10
n_a, n_s = 32, 64
human_vocab_size, machine_vocab_size = 37, 11

# shared layers
repeator = RepeatVector(Tx)
concatenator = Concatenate(axis=1)
densor1 = Dense(10, activation="tanh")
densor2 = Dense(1, activation="relu")
activator = Softmax(axis=1, name="attention_weights")
dotor = Dot(axes=1)

post_activation_LSTM_cell = LSTM(n_s, return_state=True)
output_layer = Dense(machine_vocab_size, activation="softmax")


def one_step_attention(a, s_prev):
    """
    a -- hidden states of the Bi-LSTM, (m, Tx, 2*n_a)
    s_prev -- previous hidden state of the post-attention LSTM, (m, n_s)
    """
    s_prev = repeator(s_prev)
    concat = concatenator([a, s_prev])
    e = densor1(concat)
    energies = densor2(e)
    alphas = activator(energies)
    return dotor([alphas, a])


def build_model():
    X = Input(shape=(Tx, human_vocab_size))
    s0, c0 = Input(shape=(n_s,)), Input(shape=(n_s,))
    s, c = s0, c0
    outputs = []
    a = Bidirectional(LSTM(n_a, return_sequences=True))(X)
    for t in range(Ty):
        context = one_step_attention(a, s)
        s, _, c = post_activation_LSTM_cell(context, initial_state=[s, c])
        outputs.append(output_layer(s))
    return Model([X, s0, c0], outputs)


if __name__ == "__main__":
    build_model().summary()
