from keras import Model
from keras.layers import LSTM, Concatenate, Dense, Dot, Input, RepeatVector, Softmax


def one_step(a, s_prev, Tx):
    s = RepeatVector(Tx)(s_prev)
    concat = Concatenate(axis=-1)([a, s])
    e = Dense(10, activation="tanh")(concat)
    energies = Dense(1, activation="relu")(e)
    alphas = Softmax(axis=1)(energies)
    return Dot(axes=1)([alphas, a])


def build(Tx, n_in, n_a, n_s):
    x = Input((Tx, n_in))
    a = LSTM(n_a, return_sequences=True)(x)
    s0 = LSTM(n_s, return_sequences=True)(a)
    context = one_step(a, s0, Tx)
    out = Dense(1)(context)
    return Model(x, out)


if __name__ == "__main__":
    print(build(20, 5, 16, 24).output_shape)
