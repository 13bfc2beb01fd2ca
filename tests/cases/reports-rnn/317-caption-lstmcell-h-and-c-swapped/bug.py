import torch
from torch import nn


class Captioner(nn.Module):
    def __init__(self, n_words, d_word, d_state, d_feat):
        super().__init__()
        self.words = nn.Embedding(n_words, d_word)
        self.where = nn.Bilinear(d_feat, d_state, 1, bias=False)
        self.first_h = nn.Linear(d_feat, d_state)
        self.first_c = nn.Linear(d_feat, d_state)
        self.lstm = nn.LSTMCell(d_word + d_feat, d_state)
        self.gate = nn.Linear(d_state, 1)
        self.vocab = nn.Linear(d_state, n_words)

    def look(self, feats, h):
        n_regions = feats.size(1)
        e = self.where(feats, h.unsqueeze(1).expand(-1, n_regions, -1).contiguous())
        alpha = torch.softmax(e, dim=1)
        return torch.sigmoid(self.gate(h)) * (alpha * feats).sum(dim=1)

    def forward(self, feats, captions):
        mean = feats.mean(dim=1)
        h, c = self.first_h(mean), self.first_c(mean)
        scores = []
        for word in self.words(captions[:, :-1]).unbind(dim=1):
            z = self.look(feats, h)
            c, h = self.lstm(torch.cat([word, z], dim=1), (h, c))
            scores.append(self.vocab(h))
        return torch.stack(scores, dim=1)


if __name__ == '__main__':
    net = Captioner(n_words=900, d_word=64, d_state=256, d_feat=512)
    print(net(torch.randn(5, 36, 512), torch.randint(0, 900, (5, 18))).shape)
