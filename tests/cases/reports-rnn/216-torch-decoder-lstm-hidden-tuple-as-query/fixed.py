import torch
import torch.nn as nn


class Attend(nn.Module):
    def __init__(self, enc, dec, att):
        super().__init__()
        self.Wd = nn.Linear(dec, att)
        self.We = nn.Linear(enc, att)
        self.v = nn.Linear(att, 1)

    def forward(self, dec_hidden, enc_out):
        # dec_hidden (B, dec)  enc_out (B, T, enc)
        e = self.v(torch.tanh(self.Wd(dec_hidden).unsqueeze(1) + self.We(enc_out))).squeeze(-1)
        w = torch.softmax(e, dim=-1)
        return torch.bmm(w.unsqueeze(1), enc_out).squeeze(1)


class Decoder(nn.Module):
    def __init__(self, vocab, emb, enc, dec, att):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb)
        self.attend = Attend(enc, dec, att)
        self.cell = nn.LSTMCell(emb + enc, dec)
        self.out = nn.Linear(dec, vocab)

    def forward(self, y, hidden, enc_out):
        h, c = hidden
        ctx = self.attend(h, enc_out)
        h, c = self.cell(torch.cat([self.embed(y), ctx], dim=-1), (h, c))
        return self.out(h), (h, c)


if __name__ == "__main__":
    d = Decoder(20, 5, 6, 7, 8)
    print(d(torch.ones(3, dtype=torch.long), (torch.zeros(3, 7), torch.zeros(3, 7)), torch.randn(3, 9, 6))[0].shape)
