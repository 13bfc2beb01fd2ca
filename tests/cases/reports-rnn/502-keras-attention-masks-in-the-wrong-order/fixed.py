import numpy as np
import keras
from keras import layers, ops

src_vocab, tgt_vocab, units = 40, 55, 16


class Seq2Seq(keras.Model):
    """GRU encoder/decoder with keras.layers.Attention (Luong dot) in between."""

    def __init__(self):
        super().__init__()
        self.src_emb = layers.Embedding(src_vocab, units)
        self.tgt_emb = layers.Embedding(tgt_vocab, units)
        self.encoder = layers.GRU(units, return_sequences=True, return_state=True)
        self.decoder = layers.GRU(units, return_sequences=True)
        self.attention = layers.Attention()
        self.out = layers.Dense(tgt_vocab)

    def call(self, inputs):
        src, tgt = inputs
        src_mask = ops.not_equal(src, 0)
        tgt_mask = ops.not_equal(tgt, 0)
        memory, state = self.encoder(self.src_emb(src))
        dec = self.decoder(self.tgt_emb(tgt), initial_state=state)
        # the docs say mask is a list of two masks
        context = self.attention([dec, memory], mask=[tgt_mask, src_mask])
        return self.out(ops.concatenate([dec, context], axis=-1))


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    src = rng.integers(1, src_vocab, (4, 9))
    tgt = rng.integers(1, tgt_vocab, (4, 7))
    src[1, 6:] = 0
    tgt[2, 5:] = 0
    print(Seq2Seq()((src, tgt)).shape)
