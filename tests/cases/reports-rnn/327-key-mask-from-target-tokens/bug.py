import torch
from torch import nn
import torch.nn.functional as F

PAD, SOS, EOS = 0, 1, 2
MAX_LEN = 12      # all sentences are padded to this


class Seq2SeqAttn(nn.Module):
    def __init__(self, src_vocab, tgt_vocab, d=128):
        super().__init__()
        self.src_emb = nn.Embedding(src_vocab, d, padding_idx=PAD)
        self.tgt_emb = nn.Embedding(tgt_vocab, d, padding_idx=PAD)
        self.encoder = nn.GRU(d, d, batch_first=True)
        self.decoder = nn.GRU(d, d, batch_first=True)
        self.proj = nn.Linear(2 * d, tgt_vocab)

    def attention(self, dec, enc, pad):
        score = dec @ enc.transpose(1, 2)
        score = score.masked_fill(pad.unsqueeze(1), -1e9)
        return score.softmax(-1)

    def forward(self, src, tgt):
        enc, h = self.encoder(self.src_emb(src))
        dec, _ = self.decoder(self.tgt_emb(tgt), h)
        attn = self.attention(dec, enc, tgt.eq(PAD))
        return self.proj(torch.cat((dec, attn @ enc), -1)), attn


def batch(n, vocab):
    x = torch.randint(3, vocab, (n, MAX_LEN))
    length = torch.randint(3, MAX_LEN + 1, (n, 1))
    return x.masked_fill(torch.arange(MAX_LEN) >= length, PAD)


if __name__ == '__main__':
    net = Seq2SeqAttn(300, 200)
    src, tgt = batch(32, 300), batch(32, 200)
    logits, attn = net(src, tgt)
    loss = F.cross_entropy(logits[:, :-1].transpose(1, 2), tgt[:, 1:], ignore_index=PAD)
    print(logits.shape, loss.item())
