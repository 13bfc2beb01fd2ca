import torch
import torch.nn as nn


class Encoder(nn.Module):
    def __init__(self, vocab, emb_dim, enc_hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb_dim)
        self.rnn = nn.LSTM(emb_dim, enc_hid, bidirectional=True, batch_first=True)

    def forward(self, src):
        outputs, _ = self.rnn(self.embedding(src))
        return outputs


class AttnDecoder(nn.Module):
    def __init__(self, vocab, emb_dim, enc_hid, dec_hid):
        super().__init__()
        self.embedding = nn.Embedding(vocab, emb_dim)
        self.attn = nn.Linear(dec_hid, enc_hid)
        self.cell = nn.LSTMCell(emb_dim + enc_hid * 2, dec_hid)
        self.fc = nn.Linear(dec_hid, vocab)

    def forward(self, token, h, c, enc_outputs):
        query = self.attn(h).unsqueeze(1)
        energy = torch.bmm(query, enc_outputs.transpose(1, 2))
        weights = torch.softmax(energy, dim=-1)
        context = torch.bmm(weights, enc_outputs).squeeze(1)
        h, c = self.cell(torch.cat([self.embedding(token), context], dim=-1), (h, c))
        return self.fc(h), h, c, weights.squeeze(1)


if __name__ == "__main__":
    enc, dec = Encoder(20, 6, 5), AttnDecoder(20, 6, 5, 7)
    outs = enc(torch.randint(0, 20, (3, 9)))
    print(dec(torch.ones(3, dtype=torch.long), torch.zeros(3, 7), torch.zeros(3, 7), outs)[0].shape)
