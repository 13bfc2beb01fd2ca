import numpy as np
from keras import Model, layers

Tx, Ty = 30, 10           # "3 May 1979" -> "1979-05-03"
n_a, n_s = 32, 64
human_vocab, machine_vocab = 37, 11

repeator = layers.RepeatVector(Tx)
concatenator = layers.Concatenate(axis=-1)
densor1 = layers.Dense(10, activation="tanh")
densor2 = layers.Dense(1, activation="relu")
activator = layers.Softmax(axis=1, name="attention_weights")
dotor = layers.Dot(axes=1)

post_activation_LSTM_cell = layers.LSTM(n_s, return_state=True)
output_layer = layers.Dense(machine_vocab, activation="softmax")


def one_step_attention(a, s_prev):
    s_prev = repeator(s_prev)
    concat = concatenator([a, s_prev])
    energies = densor2(densor1(concat))
    alphas = activator(energies)
    return dotor([alphas, a])


def build_model():
    X = layers.Input(shape=(Tx, human_vocab))
    s0 = layers.Input(shape=(n_s,), name="s0")
    c0 = layers.Input(shape=(n_s,), name="c0")
    s, c = s0, c0
    a = layers.Bidirectional(layers.LSTM(n_a, return_sequences=True))(X)
    outputs = []
    for _ in range(Ty):
        context = one_step_attention(a, s)
        _, s, c = post_activation_LSTM_cell(context, initial_state=[s, c])
        outputs.append(output_layer(s))
    return Model([X, s0, c0], outputs)


if __name__ == "__main__":
    model = build_model()
    zeros = np.zeros((2, n_s))
    print(len(model([np.random.rand(2, Tx, human_vocab), zeros, zeros])))
