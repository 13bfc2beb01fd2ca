import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.attn = nn.Linear(enc_dim + dec_dim, dec_dim)
        self.v = nn.Parameter(torch.rand(dec_dim))

    def forward(self, hidden, encoder_outputs):
        batch_size = encoder_outputs.shape[1]
        src_len = encoder_outputs.shape[0]
        hidden = hidden.unsqueeze(1).repeat(1, src_len, 1)
        encoder_outputs = encoder_outputs.permute(1, 0, 2)
        energy = torch.tanh(self.attn(torch.cat((hidden, encoder_outputs), dim=2)))
        energy = energy.permute(0, 2, 1)
        v = self.v.repeat(batch_size, 1).unsqueeze(1)
        attention = torch.bmm(v, energy).squeeze(1)
        return torch.softmax(attention, dim=1)


class Decoder(nn.Module):
    def __init__(self, out_dim, emb_dim, enc_dim, dec_dim, n_layers=2):
        super().__init__()
        self.emb = nn.Embedding(out_dim, emb_dim)
        self.attention = Attention(enc_dim, dec_dim)
        self.rnn = nn.GRU(enc_dim + emb_dim, dec_dim, n_layers)
        self.fc = nn.Linear(dec_dim, out_dim)

    def forward(self, token, hidden, encoder_outputs):
        a = self.attention(hidden, encoder_outputs).unsqueeze(1)
        ctx = torch.bmm(a, encoder_outputs.permute(1, 0, 2)).permute(1, 0, 2)
        out, hidden = self.rnn(torch.cat((self.emb(token).unsqueeze(0), ctx), dim=2), hidden)
        return self.fc(out.squeeze(0)), hidden


if __name__ == "__main__":
    d = Decoder(20, 6, 10, 7)
    print(d(torch.ones(3, dtype=torch.long), torch.zeros(2, 3, 7), torch.randn(8, 3, 10))[0].shape)
