import keras
from keras import layers

max_text_len, max_summary_len = 80, 15
x_voc, y_voc = 3000, 1500
latent_dim, embedding_dim = 100, 64


def build_summarizer():
    # Encoder
    encoder_inputs = layers.Input(shape=(max_text_len,))
    enc_emb = layers.Embedding(x_voc, embedding_dim)(encoder_inputs)
    encoder_lstm1 = layers.LSTM(latent_dim, return_sequences=True)
    encoder_output1 = encoder_lstm1(enc_emb)
    encoder_lstm2 = layers.LSTM(latent_dim, return_sequences=True, return_state=True)
    encoder_outputs, state_h, state_c = encoder_lstm2(encoder_output1)

    # Decoder, initialised with the encoder states
    decoder_inputs = layers.Input(shape=(max_summary_len,))
    dec_emb = layers.Embedding(y_voc, embedding_dim)(decoder_inputs)
    decoder_lstm = layers.LSTM(latent_dim, return_sequences=True, return_state=True)
    decoder_outputs, _, _ = decoder_lstm(dec_emb, initial_state=[state_h, state_c])

    # Attention
    attn_out = layers.Attention(name="attention_layer")([decoder_outputs, encoder_outputs])
    decoder_concat_input = layers.Concatenate(axis=-1, name="concat_layer")([decoder_outputs, attn_out])

    decoder_dense = layers.TimeDistributed(layers.Dense(y_voc, activation="softmax"))
    return keras.Model([encoder_inputs, decoder_inputs], decoder_dense(decoder_concat_input))
