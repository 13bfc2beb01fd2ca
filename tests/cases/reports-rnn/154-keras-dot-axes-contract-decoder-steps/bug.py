from keras.layers import GRU, Activation, Concatenate, Dense, Dot, Embedding, Input
from keras.models import Model


def seq2seq(src_len, tgt_len, n_src, n_tgt, dim=64):
    src = Input((src_len,), dtype="int32")
    tgt = Input((tgt_len,), dtype="int32")
    encoder_out, state = GRU(dim, return_sequences=True, return_state=True)(Embedding(n_src, dim)(src))
    decoder_out = GRU(dim, return_sequences=True)(Embedding(n_tgt, dim)(tgt), initial_state=state)

    attention = Dot(axes=[2, 2])([decoder_out, encoder_out])
    attention = Activation("softmax")(attention)
    context = Dot(axes=[1, 1])([attention, encoder_out])
    combined = Concatenate()([context, decoder_out])

    out = Dense(dim, activation="tanh")(combined)
    out = Dense(n_tgt, activation="softmax")(out)
    return Model([src, tgt], out)


if __name__ == "__main__":
    model = seq2seq(12, 9, 50, 40)
    print(model.output_shape)
