import torch
import torch.nn as nn
import torch.nn.functional as F


class BahdanauStep(nn.Module):
    def __init__(self, enc_dim, dec_dim, emb_dim, vocab):
        super().__init__()
        self.mlp = nn.Sequential(nn.Linear(enc_dim + dec_dim, dec_dim), nn.Tanh(), nn.Linear(dec_dim, 1))
        self.embed = nn.Embedding(vocab, emb_dim)
        self.lstm = nn.LSTMCell(emb_dim + enc_dim, dec_dim)
        self.fc = nn.Linear(dec_dim, vocab)

    def forward(self, word, state, annotations):
        h, c = state
        e = []
        for a_i in annotations:
            e.append(self.mlp(torch.cat([a_i, h], dim=1)).squeeze(1))
        e = torch.stack(e)
        alpha = F.softmax(e, dim=0)

        context = 0
        for w_i, a_i in zip(alpha, annotations):
            context = context + w_i.unsqueeze(1) * a_i
        h, c = self.lstm(torch.cat([self.embed(word), context], dim=1), (h, c))
        return self.fc(h), (h, c), alpha


def translate(encoder, step, src, bos, length):
    # src: (src_len, batch)
    annotations, (h, c) = encoder(src)
    state = (h[0], c[0])
    word = torch.full((src.size(1),), bos)
    words = []
    for _ in range(length):
        logits, state, _ = step(word, state, annotations)
        word = logits.argmax(1)
        words.append(word)
    return torch.stack(words)


class Encoder(nn.Module):
    def __init__(self, vocab, emb_dim, enc_dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, emb_dim)
        self.lstm = nn.LSTM(emb_dim, enc_dim)

    def forward(self, src):
        return self.lstm(self.embed(src))


if __name__ == "__main__":
    print(translate(Encoder(50, 8, 12), BahdanauStep(12, 12, 8, 40), torch.randint(0, 50, (7, 3)), 1, 5).shape)
