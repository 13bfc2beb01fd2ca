import torch
import torch.nn as nn
import torch.nn.functional as F

n_words, d_word, d_enc, d_dec = 6000, 256, 300, 512


class AttentionalWriter(nn.Module):
    # the encoder is bidirectional, so everything that comes from it is 2 * d_enc wide

    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(n_words, d_word)
        self.align_s = nn.Linear(d_dec, d_dec)
        self.align_h = nn.Linear(2 * d_enc, d_dec, bias=False)
        self.align_v = nn.Linear(d_dec, 1, bias=False)
        self.gru = nn.GRU(d_word + 2 * d_enc, d_dec)
        self.readout = nn.Linear(d_dec + 2 * d_enc + d_word, n_words)

    def context(self, s, annotations):
        # s = [batch, d_dec], annotations = [src len, batch, 2 * d_enc]
        e = self.align_v(torch.tanh(self.align_s(s) + self.align_h(annotations)))
        return (F.softmax(e, dim=0) * annotations).sum(0, keepdim=True)

    def forward(self, y, s, annotations):
        y = self.words(y).unsqueeze(0)
        c = self.context(s, annotations)
        gru_in = torch.cat((y, c), dim=2)
        out, s = self.gru(gru_in, s.unsqueeze(0))
        logits = self.readout(torch.cat((out, c, y), dim=2))
        return logits.squeeze(0), s.squeeze(0)


if __name__ == '__main__':
    writer = AttentionalWriter()
    s = torch.zeros(8, d_dec)
    logits, s = writer(torch.randint(0, n_words, (8,)), s, torch.randn(21, 8, 2 * d_enc))
    print(logits.shape, s.shape)
