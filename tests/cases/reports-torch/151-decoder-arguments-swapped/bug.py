import torch
import torch.nn as nn


class Seq2SeqTransformer(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d_model=64, nhead=4):
        super().__init__()
        self.src_emb = nn.Embedding(src_vocab, d_model)
        self.tgt_emb = nn.Embedding(tgt_vocab, d_model)
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(d_model, nhead, batch_first=True), 2)
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(d_model, nhead, batch_first=True), 2)
        self.generator = nn.Linear(d_model, tgt_vocab)

    def forward(self, src, tgt):
        memory = self.encoder(self.src_emb(src))
        outs = self.decoder(memory, self.tgt_emb(tgt))
        return self.generator(outs)


if __name__ == "__main__":
    model = Seq2SeqTransformer(100, 120)
    src, tgt = torch.randint(0, 100, (2, 11)), torch.randint(0, 120, (2, 7))
    print(model(src, tgt).shape)
