import torch
import torch.nn as nn
import torch.nn.functional as F


class Decoder(nn.Module):
    def __init__(self, vocab, hsz):
        super().__init__()
        self.lt = nn.Embedding(vocab, hsz, padding_idx=0)
        self.rnn = nn.LSTM(hsz, hsz, batch_first=True)
        self.attn = nn.Linear(hsz, hsz, bias=False)
        self.attn_combine = nn.Linear(2 * hsz, hsz, bias=False)
        self.o2e = nn.Linear(hsz, vocab)

    def forward(self, xs, hidden, enc_out, attn_mask):
        output, new_hidden = self.rnn(self.lt(xs), hidden)
        scores = torch.bmm(self.attn(output), enc_out.transpose(1, 2)).squeeze(1)
        scores = scores.masked_fill(~attn_mask, -1e20)
        weights = F.softmax(scores, dim=1)
        applied = torch.bmm(weights.unsqueeze(1), enc_out)
        output = torch.tanh(self.attn_combine(torch.cat((output, applied), 2)))
        return self.o2e(output), new_hidden


class Seq2seq(nn.Module):
    def __init__(self, vocab, hsz=64, start=1):
        super().__init__()
        self.start = start
        self.lt = nn.Embedding(vocab, hsz, padding_idx=0)
        self.encoder = nn.LSTM(hsz, hsz, batch_first=True)
        self.decoder = Decoder(vocab, hsz)

    def forward(self, xs, ys):
        enc_out, hidden = self.encoder(self.lt(xs))
        mask = xs.ne(0)
        y = torch.full((xs.size(0), 1), self.start, dtype=torch.long)
        scores = []
        for i in range(ys.size(1)):
            score, _ = self.decoder(y, hidden, enc_out, mask)
            scores.append(score)
            y = ys[:, i:i + 1]
        return torch.cat(scores, 1)


if __name__ == "__main__":
    model = Seq2seq(100)
    xs, ys = torch.randint(2, 100, (6, 9)), torch.randint(2, 100, (6, 5))
    scores = model(xs, ys)
    print(F.cross_entropy(scores.reshape(-1, 100), ys.reshape(-1)))
