import numpy as np
import keras
from keras import layers, ops


class AttentiveDecoder(keras.Model):
    def __init__(self, vocab, emb, units):
        super().__init__()
        self.src_emb = layers.Embedding(vocab, emb)
        self.tgt_emb = layers.Embedding(vocab, emb)
        self.encoder = layers.GRU(units, return_sequences=True, return_state=True)
        self.decoder = layers.GRU(units, return_sequences=True)
        self.attention = layers.Attention(use_scale=True)
        self.wc = layers.Dense(units, activation="tanh", use_bias=False)
        self.fc = layers.Dense(vocab)

    def call(self, inputs):
        src, tgt = inputs
        src_mask = ops.not_equal(src, 0)
        tgt_mask = ops.not_equal(tgt, 0)

        memory, state = self.encoder(self.src_emb(src))
        rnn_out = self.decoder(self.tgt_emb(tgt), initial_state=state)
        context = self.attention([rnn_out, memory], mask=[src_mask, tgt_mask])
        attn_vec = self.wc(ops.concatenate([context, rnn_out], axis=-1))
        return self.fc(attn_vec)


if __name__ == "__main__":
    src = np.array([[5, 3, 9, 2, 7, 0, 0], [4, 8, 2, 0, 0, 0, 0]])
    tgt = np.array([[1, 6, 3, 2], [1, 9, 2, 0]])
    logits = AttentiveDecoder(12, 8, 10)((src, tgt))
    print(logits.shape)
