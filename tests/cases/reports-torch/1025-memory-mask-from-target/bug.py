import torch
from torch import nn, Tensor


class Seq2SeqTransformer(nn.Module):
    def __init__(self, src_vocab_size: int, tgt_vocab_size: int, emb_size: int = 512, nhead: int = 8,
                 num_layers: int = 3, dim_feedforward: int = 512, pad_idx: int = 1):
        super().__init__()
        self.pad_idx = pad_idx
        self.src_tok_emb = nn.Embedding(src_vocab_size, emb_size)
        self.tgt_tok_emb = nn.Embedding(tgt_vocab_size, emb_size)
        self.transformer = nn.Transformer(d_model=emb_size, nhead=nhead, num_encoder_layers=num_layers,
                                          num_decoder_layers=num_layers, dim_feedforward=dim_feedforward,
                                          batch_first=True)
        self.generator = nn.Linear(emb_size, tgt_vocab_size)

    def forward(self, src: Tensor, tgt: Tensor):
        src_padding_mask = src == self.pad_idx
        tgt_padding_mask = tgt == self.pad_idx
        tgt_mask = torch.ones(tgt.size(1), tgt.size(1), dtype=torch.bool, device=tgt.device).triu(1)

        src_emb = self.src_tok_emb(src)
        tgt_emb = self.tgt_tok_emb(tgt)
        outs = self.transformer(src_emb, tgt_emb, tgt_mask=tgt_mask,
                                src_key_padding_mask=src_padding_mask,
                                tgt_key_padding_mask=tgt_padding_mask,
                                memory_key_padding_mask=tgt_padding_mask)
        return self.generator(outs)


if __name__ == "__main__":
    model = Seq2SeqTransformer(1000, 1200, emb_size=64, num_layers=1)
    src = torch.randint(2, 1000, (8, 27))
    tgt = torch.randint(2, 1200, (8, 24))
    print(model(src, tgt).shape)
