import keras
from keras import layers


def seq2seq_with_attention(src_vocab, tgt_vocab, emb=64, units=128):
    src = keras.Input((None,), name="source")
    tgt = keras.Input((None,), name="target")

    src_emb = layers.Embedding(src_vocab, emb)(src)
    encoder = layers.Bidirectional(layers.LSTM(units, return_sequences=True, return_state=True))
    memory, fh, fc, bh, bc = encoder(src_emb)
    state = [layers.Concatenate()([fh, bh]), layers.Concatenate()([fc, bc])]

    tgt_emb = layers.Embedding(tgt_vocab, emb)(tgt)
    decoder = layers.LSTM(2 * units, return_sequences=True)
    dec = decoder(tgt_emb, initial_state=state)

    context = layers.Attention()([dec, memory])
    merged = layers.Concatenate(axis=-1)([dec, context])
    merged = layers.Dense(units, activation="tanh")(merged)
    probs = layers.Dense(tgt_vocab, activation="softmax")(merged)
    return keras.Model([src, tgt], probs)


if __name__ == "__main__":
    model = seq2seq_with_attention(8000, 6000)
    model.compile(optimizer="adam", loss="sparse_categorical_crossentropy")
    model.summary()
