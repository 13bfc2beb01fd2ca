from keras import Input, Model
from keras.layers import LSTM, Bidirectional, Dense, Dot, Embedding, Flatten, Softmax


def build_model(maxlen, vocab, emb=50, units=32, classes=3):
    inp = Input(shape=(maxlen,))
    x = Embedding(vocab, emb)(inp)
    states = Bidirectional(LSTM(units, return_sequences=True))(x)

    # attention
    e = Dense(1, activation='softmax')(states)
    context = Dot(axes=1)([e, states])
    context = Flatten()(context)

    out = Dense(classes, activation='softmax')(context)
    return Model(inp, out)


def attention_model(maxlen, vocab):
    model = build_model(maxlen, vocab)
    model.compile(loss='sparse_categorical_crossentropy', optimizer='adam')
    return model
