import keras
from keras import layers

SRC_LEN, TGT_LEN = 40, 25
SRC_VOCAB, TGT_VOCAB = 5000, 4000
UNITS, HEADS = 64, 4


def encoder():
    tokens = keras.Input((SRC_LEN,), dtype="int32", name="src")
    x = layers.Embedding(SRC_VOCAB, UNITS)(tokens)
    x = layers.Bidirectional(layers.GRU(UNITS, return_sequences=True), merge_mode="sum")(x)
    return keras.Model(tokens, x, name="encoder")


def decoder():
    memory = keras.Input((SRC_LEN, UNITS), name="memory")
    tokens = keras.Input((TGT_LEN,), dtype="int32", name="tgt_in")
    x = layers.Embedding(TGT_VOCAB, UNITS)(tokens)
    x = layers.GRU(UNITS, return_sequences=True)(x)

    att = layers.MultiHeadAttention(num_heads=HEADS, key_dim=UNITS // HEADS, name="cross")(query=x, value=memory)
    x = layers.LayerNormalization()(layers.Add()([memory, att]))

    x = layers.GRU(UNITS, return_sequences=True)(x)
    return keras.Model([memory, tokens], layers.Dense(TGT_VOCAB)(x), name="decoder")


def translator():
    enc, dec = encoder(), decoder()
    src = keras.Input((SRC_LEN,), dtype="int32")
    tgt = keras.Input((TGT_LEN,), dtype="int32")
    model = keras.Model([src, tgt], dec([enc(src), tgt]))
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model
