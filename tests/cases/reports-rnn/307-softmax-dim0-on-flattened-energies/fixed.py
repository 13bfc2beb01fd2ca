import torch
from torch import nn


class BilinearAttention(nn.Module):
    """
    Luong "general" attention for all target positions in one go.

    Shape:
        dec_out: (batch, tgt, hidden)
        enc_out: (batch, src, hidden)
        returns: (batch, tgt, hidden), (batch, tgt, src)
    """

    def __init__(self, hidden):
        super().__init__()
        self.W = nn.Linear(hidden, hidden, bias=False)
        self.out = nn.Linear(2 * hidden, hidden, bias=False)
        self.normalise = nn.Softmax(dim=1)

    def forward(self, dec_out, enc_out):
        n, tgt, _ = dec_out.shape
        src = enc_out.size(1)
        energy = self.W(dec_out).bmm(enc_out.transpose(1, 2))
        # nn.Softmax without dim complained about 3D input, so flatten first
        align = self.normalise(energy.view(n * tgt, src)).view(n, tgt, src)
        context = align.bmm(enc_out)
        return torch.tanh(self.out(torch.cat((context, dec_out), dim=2))), align


class Seq2Seq(nn.Module):
    def __init__(self, n_src, n_tgt, hidden):
        super().__init__()
        self.src_emb, self.tgt_emb = nn.Embedding(n_src, hidden), nn.Embedding(n_tgt, hidden)
        self.encoder = nn.LSTM(hidden, hidden, batch_first=True)
        self.decoder = nn.LSTM(hidden, hidden, batch_first=True)
        self.attention = BilinearAttention(hidden)
        self.generator = nn.Linear(hidden, n_tgt)

    def forward(self, src, tgt):
        memory, state = self.encoder(self.src_emb(src))
        dec, _ = self.decoder(self.tgt_emb(tgt), state)
        dec, align = self.attention(dec, memory)
        return self.generator(dec), align
