import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, enc_hid, dec_hid):
        super().__init__()
        self.energy = nn.Linear(2 * enc_hid + dec_hid, dec_hid)
        self.v = nn.Linear(dec_hid, 1, bias=False)

    def forward(self, hidden, enc_out):
        src_len = enc_out.shape[0]
        hidden = hidden.unsqueeze(0).expand(src_len, -1, -1)
        e = torch.tanh(self.energy(torch.cat([hidden, enc_out], dim=2)))
        return F.softmax(self.v(e).squeeze(2).t(), dim=1)


class Decoder(nn.Module):
    """One target token at a time; everything recurrent is time-major."""

    def __init__(self, vocab, emb, enc_hid, dec_hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb)
        self.attention = Attention(enc_hid, dec_hid)
        self.rnn = nn.LSTM(emb + 2 * enc_hid, dec_hid)
        self.fc = nn.Linear(emb + 2 * enc_hid + dec_hid, vocab)

    def forward(self, token, hidden, cell, enc_out):
        x = self.embedding(token.unsqueeze(0))
        a = self.attention(hidden[-1], enc_out)
        weighted = torch.bmm(a.unsqueeze(1), enc_out.permute(1, 0, 2)).permute(1, 0, 2)

        rnn_in = torch.cat((x, weighted), dim=2)
        out, (hidden, cell) = self.rnn(rnn_in, (hidden, cell))
        pred = self.fc(torch.cat((out[0], rnn_in[0]), dim=1))
        return pred, hidden, cell, a


if __name__ == "__main__":
    dec = Decoder(vocab=70, emb=10, enc_hid=8, dec_hid=12)
    h, c = torch.zeros(1, 5, 12), torch.zeros(1, 5, 12)
    pred, h, c, a = dec(torch.randint(0, 70, (5,)), h, c, torch.randn(9, 5, 16))
    print(pred.shape, a.shape)
