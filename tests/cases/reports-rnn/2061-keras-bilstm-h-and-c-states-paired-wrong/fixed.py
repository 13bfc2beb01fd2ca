import keras
from keras import layers

latent_dim = 32
embedding_dim = 24


class Summarizer(keras.Model):
    """Encoder-decoder with attention for headline generation."""

    def __init__(self, x_voc, y_voc):
        super().__init__()
        self.enc_emb = layers.Embedding(x_voc, embedding_dim)
        self.encoder = layers.Bidirectional(
            layers.LSTM(latent_dim, return_sequences=True, return_state=True))
        self.dec_emb = layers.Embedding(y_voc, embedding_dim)
        self.decoder = layers.LSTM(2 * latent_dim, return_sequences=True, return_state=True)
        self.attn = layers.AdditiveAttention()
        self.concat = layers.Concatenate(axis=-1)
        self.dense = layers.TimeDistributed(layers.Dense(y_voc, activation="softmax"))

    def encode(self, src):
        encoder_outputs, fwd_h, fwd_c, bwd_h, bwd_c = self.encoder(self.enc_emb(src))
        state_h = layers.Concatenate()([fwd_h, bwd_h])
        state_c = layers.Concatenate()([fwd_c, bwd_c])
        return encoder_outputs, state_h, state_c

    def call(self, inputs):
        src, tgt = inputs
        encoder_outputs, state_h, state_c = self.encode(src)
        decoder_outputs, _, _ = self.decoder(self.dec_emb(tgt), initial_state=[state_h, state_c])
        attn_out = self.attn([decoder_outputs, encoder_outputs])
        return self.dense(self.concat([decoder_outputs, attn_out]))
