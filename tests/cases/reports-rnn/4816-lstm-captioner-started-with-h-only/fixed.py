import torch
from torch import nn


class RegionAttention(nn.Module):
    def __init__(self, feat_dim, state_dim, att_dim):
        super().__init__()
        self.f = nn.Linear(feat_dim, att_dim)
        self.s = nn.Linear(state_dim, att_dim)
        self.e = nn.Linear(att_dim, 1)

    def forward(self, regions, h):
        e = self.e(torch.tanh(self.f(regions) + self.s(h)[:, None])).squeeze(-1)
        a = e.softmax(-1)
        return torch.einsum('br,brf->bf', a, regions), a


class CaptionDecoder(nn.Module):
    def __init__(self, vocab, word_dim, feat_dim, state_dim):
        super().__init__()
        self.state_dim = state_dim
        self.word = nn.Embedding(vocab, word_dim)
        self.attend = RegionAttention(feat_dim, state_dim, state_dim)
        self.rnn = nn.LSTM(word_dim + feat_dim, state_dim, batch_first=True)
        self.start_h = nn.Linear(feat_dim, state_dim)
        self.start_c = nn.Linear(feat_dim, state_dim)
        self.out = nn.Linear(state_dim, vocab)

    def start(self, regions):
        mean = regions.mean(1)
        return torch.tanh(self.start_h(mean)).unsqueeze(0), torch.tanh(self.start_c(mean)).unsqueeze(0)

    def forward(self, regions, words):
        state = self.start(regions)
        h = state[0][-1]
        logits = []
        for t in range(words.size(1)):
            ctx, _ = self.attend(regions, h)
            step = torch.cat([self.word(words[:, t]), ctx], -1).unsqueeze(1)
            y, state = self.rnn(step, state)
            h = y.squeeze(1)
            logits.append(self.out(h))
        return torch.stack(logits, 1)
