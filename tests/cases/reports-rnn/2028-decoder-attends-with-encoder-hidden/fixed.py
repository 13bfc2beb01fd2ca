import torch
from torch import nn


class Seq2Seq(nn.Module):
    def __init__(self, src_vocab, trg_vocab, emb, hid):
        super().__init__()
        self.src_emb = nn.Embedding(src_vocab, emb)
        self.trg_emb = nn.Embedding(trg_vocab, emb)
        self.encoder = nn.GRU(emb, hid, batch_first=True)
        self.decoder = nn.GRU(emb + hid, hid, batch_first=True)
        self.W1 = nn.Linear(hid, hid)
        self.W2 = nn.Linear(hid, hid)
        self.V = nn.Linear(hid, 1)
        self.fc = nn.Linear(hid, trg_vocab)

    def attention(self, query, values):
        score = self.V(torch.tanh(self.W1(query.unsqueeze(1)) + self.W2(values)))
        weights = torch.softmax(score, dim=1)
        return (weights * values).sum(dim=1), weights.squeeze(2)

    def forward(self, src, trg):
        enc_out, enc_hidden = self.encoder(self.src_emb(src))
        dec_hidden = enc_hidden
        outputs, attns = [], []
        # teacher forcing
        for t in range(trg.size(1)):
            context, attn = self.attention(dec_hidden[-1], enc_out)
            x = torch.cat([context, self.trg_emb(trg[:, t])], dim=1).unsqueeze(1)
            output, dec_hidden = self.decoder(x, dec_hidden)
            outputs.append(self.fc(output[:, 0]))
            attns.append(attn)
        return torch.stack(outputs, 1), torch.stack(attns, 1)


if __name__ == "__main__":
    model = Seq2Seq(120, 90, 24, 40)
    logits, attns = model(torch.randint(0, 120, (3, 7)), torch.randint(0, 90, (3, 5)))
    print(logits.shape)
    print(attns[0])
