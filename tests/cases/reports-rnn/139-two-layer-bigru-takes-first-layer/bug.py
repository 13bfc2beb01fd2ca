import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, input_dim, emb_dim, enc_hid_dim, dec_hid_dim):
        super().__init__()
        self.embedding = nn.Embedding(input_dim, emb_dim)
        self.rnn = nn.GRU(emb_dim, enc_hid_dim, num_layers=2, bidirectional=True)
        self.fc = nn.Linear(enc_hid_dim * 2, dec_hid_dim)

    def forward(self, src):
        # src = [src len, batch size]
        outputs, hidden = self.rnn(self.embedding(src))
        # outputs = [src len, batch size, hid dim * num directions]
        # hidden = [n layers * num directions, batch size, hid dim]
        hidden = torch.tanh(self.fc(torch.cat((hidden[0, :, :], hidden[1, :, :]), dim=1)))
        return outputs, hidden


class Attention(nn.Module):
    def __init__(self, enc_hid_dim, dec_hid_dim):
        super().__init__()
        self.W = nn.Linear(dec_hid_dim, enc_hid_dim * 2)

    def forward(self, hidden, outputs):
        scores = torch.einsum('bd,tbd->bt', self.W(hidden), outputs)
        a = torch.softmax(scores, dim=1)
        return torch.einsum('bt,tbd->bd', a, outputs), a
