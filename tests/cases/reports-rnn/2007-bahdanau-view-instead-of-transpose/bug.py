import torch
from torch import nn


class Encoder(nn.Module):
    def __init__(self, vocab, emb_dim, enc_hid, dec_hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb_dim)
        self.rnn = nn.GRU(emb_dim, enc_hid, bidirectional=True)
        self.fc = nn.Linear(enc_hid * 2, dec_hid)

    def forward(self, src):
        # src = [src len, batch size]
        outputs, hidden = self.rnn(self.embedding(src))
        hidden = torch.tanh(self.fc(torch.cat((hidden[-2], hidden[-1]), dim=1)))
        return outputs, hidden


class Attention(nn.Module):
    def __init__(self, enc_hid, dec_hid):
        super().__init__()
        self.attn = nn.Linear(enc_hid * 2 + dec_hid, dec_hid)
        self.v = nn.Linear(dec_hid, 1, bias=False)

    def forward(self, hidden, encoder_outputs):
        # hidden = [batch size, dec hid dim]
        # encoder_outputs = [src len, batch size, enc hid dim * 2]
        src_len, batch_size, _ = encoder_outputs.shape
        hidden = hidden.unsqueeze(1).repeat(1, src_len, 1)
        encoder_outputs = encoder_outputs.view(batch_size, src_len, -1)
        energy = torch.tanh(self.attn(torch.cat((hidden, encoder_outputs), dim=2)))
        attention = self.v(energy).squeeze(2)
        a = torch.softmax(attention, dim=1).unsqueeze(1)
        weighted = torch.bmm(a, encoder_outputs)
        return weighted.squeeze(1), a.squeeze(1)


if __name__ == "__main__":
    enc = Encoder(100, 16, 12, 20)
    att = Attention(12, 20)
    outputs, hidden = enc(torch.randint(0, 100, (11, 4)))
    weighted, a = att(hidden, outputs)
    print(weighted.shape, a.shape)
