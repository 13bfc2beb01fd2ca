from keras import Model, layers

MAX_SRC, MAX_TGT = 20, 12


def build_model(src_vocab, tgt_vocab, latent_dim=64):
    # encoder
    encoder_inputs = layers.Input(shape=(MAX_SRC,), dtype="int32")
    enc_emb = layers.Embedding(src_vocab, latent_dim)(encoder_inputs)
    encoder_stack_h, enc_last_h, enc_last_c = layers.LSTM(
        latent_dim, return_sequences=True, return_state=True)(enc_emb)

    # decoder, teacher forcing
    decoder_inputs = layers.Input(shape=(MAX_TGT,), dtype="int32")
    dec_emb = layers.Embedding(tgt_vocab, latent_dim)(decoder_inputs)
    decoder_stack_h = layers.LSTM(latent_dim, return_sequences=True)(
        dec_emb, initial_state=[enc_last_h, enc_last_c])

    # Luong dot attention
    score = layers.Dot(axes=[2, 2])([encoder_stack_h, decoder_stack_h])
    attention = layers.Activation("softmax", name="attention")(score)
    context = layers.Dot(axes=[1, 1])([attention, encoder_stack_h])

    combined = layers.Concatenate()([context, decoder_stack_h])
    combined = layers.TimeDistributed(layers.Dense(latent_dim, activation="tanh"))(combined)
    decoder_pred = layers.TimeDistributed(layers.Dense(tgt_vocab, activation="softmax"))(combined)
    return Model([encoder_inputs, decoder_inputs], decoder_pred)


if __name__ == "__main__":
    build_model(3000, 4000).summary()
