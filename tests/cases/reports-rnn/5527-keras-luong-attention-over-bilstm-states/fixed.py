import numpy as np
import keras
from keras import layers


def build_nmt(src_vocab, tgt_vocab, max_src, max_tgt, emb=24, units=32):
    encoder_inputs = layers.Input(shape=(max_src,), name="source")
    x = layers.Embedding(src_vocab, emb)(encoder_inputs)
    encoder_outputs = layers.Bidirectional(layers.LSTM(units, return_sequences=True))(x)
    encoder_outputs = layers.Dense(units)(layers.Dropout(0.2)(encoder_outputs))
    summary = layers.GlobalAveragePooling1D()(encoder_outputs)
    init_h = layers.Dense(units, activation="tanh")(summary)
    init_c = layers.Dense(units, activation="tanh")(summary)

    decoder_inputs = layers.Input(shape=(max_tgt,), name="target")
    y = layers.Embedding(tgt_vocab, emb)(decoder_inputs)
    decoder_outputs = layers.LSTM(units, return_sequences=True)(y, initial_state=[init_h, init_c])

    context = layers.Attention()([decoder_outputs, encoder_outputs])
    merged = layers.Concatenate(axis=-1)([decoder_outputs, context])
    hidden = layers.TimeDistributed(layers.Dense(units, activation="tanh"))(merged)
    probs = layers.TimeDistributed(layers.Dense(tgt_vocab, activation="softmax"))(hidden)
    return keras.Model([encoder_inputs, decoder_inputs], probs)


if __name__ == "__main__":
    model = build_nmt(100, 90, 12, 10)
    model.compile("adam", "sparse_categorical_crossentropy")
    src, tgt = np.random.randint(1, 100, (4, 12)), np.random.randint(1, 90, (4, 10))
    print(model.predict([src, tgt], verbose=0).shape)
