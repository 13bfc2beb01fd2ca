import keras
from keras.layers import (LSTM, Activation, Concatenate, Dense, Dot, Embedding, Input,
                          TimeDistributed)


def build_model(input_vocab, output_vocab, input_length, output_length, embedding_size=64, hidden=128):
    encoder_input = Input(shape=(input_length,))
    decoder_input = Input(shape=(output_length,))

    encoder = Embedding(input_vocab, embedding_size, mask_zero=False)(encoder_input)
    encoder, state_h, state_c = LSTM(hidden, return_sequences=True, return_state=True)(encoder)

    decoder = Embedding(output_vocab, embedding_size, mask_zero=False)(decoder_input)
    decoder = LSTM(hidden, return_sequences=True)(decoder, initial_state=[state_h, state_c])

    attention = Dot(axes=[2, 2])([decoder, encoder])
    attention = Activation('softmax', name='attention')(attention)

    context = Dot(axes=[2, 1])([attention, encoder])
    decoder_combined_context = Concatenate()([context, decoder])

    # another dense layer as in Luong et al.
    output = TimeDistributed(Dense(hidden, activation="tanh"))(decoder_combined_context)
    output = TimeDistributed(Dense(output_vocab, activation="softmax"))(output)
    return keras.Model(inputs=[encoder_input, decoder_input], outputs=[output])


if __name__ == '__main__':
    model = build_model(input_vocab=120, output_vocab=110, input_length=20, output_length=18)
    model.compile(optimizer='adam', loss='categorical_crossentropy')
    model.summary()
