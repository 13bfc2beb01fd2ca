import torch
import torch.nn as nn
import torch.nn.functional as F


class WordAttention(nn.Module):
    def __init__(self, n_vocab, emb_size, hid_size):
        super(WordAttention, self).__init__()
        self.embed = nn.Embedding(n_vocab, emb_size)
        self.word_rnn = nn.GRU(emb_size, hid_size, bidirectional=True)
        self.word_attn = nn.Linear(2 * hid_size, 2 * hid_size)
        self.word_ctx = nn.Linear(2 * hid_size, 2 * hid_size, bias=False)

    def forward(self, inp, state):
        # inp: seq_len x batch
        out, state = self.word_rnn(self.embed(inp), state)
        annotation = torch.tanh(self.word_attn(out))
        attn = F.softmax(self.word_ctx(annotation), dim=0)
        sent = (attn * out).sum(dim=0)
        return sent, state, attn


class SentClassifier(nn.Module):
    def __init__(self, n_vocab, emb_size, hid_size, n_class):
        super(SentClassifier, self).__init__()
        self.hid_size = hid_size
        self.words = WordAttention(n_vocab, emb_size, hid_size)
        self.fc = nn.Linear(2 * hid_size, n_class)

    def forward(self, inp):
        state = torch.zeros(2, inp.size(1), self.hid_size)
        sent, _, attn = self.words(inp, state)
        return F.log_softmax(self.fc(sent), dim=1), attn


if __name__ == '__main__':
    model = SentClassifier(300, 20, 10, 5)
    log_p, attn = model(torch.randint(0, 300, (14, 3)))
    print(log_p.shape)
