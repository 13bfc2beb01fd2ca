import math

import torch
import torch.nn as nn

PAD_IDX = 1


class PositionalEncoding(nn.Module):
    def __init__(self, emb_size, maxlen=500):
        super().__init__()
        den = torch.exp(-torch.arange(0, emb_size, 2) * math.log(10000) / emb_size)
        pos = torch.arange(0, maxlen).reshape(maxlen, 1)
        pe = torch.zeros((maxlen, emb_size))
        pe[:, 0::2] = torch.sin(pos * den)
        pe[:, 1::2] = torch.cos(pos * den)
        self.register_buffer("pe", pe.unsqueeze(1))

    def forward(self, tokens):
        return tokens + self.pe[:tokens.size(0)]


class SentimentTransformer(nn.Module):
    def __init__(self, vocab_size, emb_size=64, nhead=4, nlayers=2):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, emb_size, padding_idx=PAD_IDX)
        self.pos_enc = PositionalEncoding(emb_size)
        layer = nn.TransformerEncoderLayer(emb_size, nhead, dim_feedforward=128)
        self.encoder = nn.TransformerEncoder(layer, nlayers)
        self.fc = nn.Linear(emb_size, 2)

    def make_padding_mask(self, src):
        return (src == PAD_IDX).transpose(0, 1)

    def forward(self, src):
        # src: (seq_len, batch), as torchtext gives it
        x = self.pos_enc(self.tok_emb(src))
        x = self.encoder(x, src_key_padding_mask=self.make_padding_mask(src))
        return self.fc(x[0])


if __name__ == "__main__":
    model = SentimentTransformer(1000)
    batch = torch.randint(2, 1000, (30, 4))
    batch[22:, 1] = PAD_IDX
    print(model(batch).shape)
