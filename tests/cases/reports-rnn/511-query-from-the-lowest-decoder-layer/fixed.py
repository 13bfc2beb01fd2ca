import torch
import torch.nn as nn


class CaptionDecoder(nn.Module):
    """Two-layer GRU over words, soft attention over the CNN regions."""

    def __init__(self, vocab_size, embed=64, feat=128, hidden=96, n_layers=2):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, embed)
        self.init_h = nn.Linear(feat, hidden)
        self.rnn = nn.GRU(embed + feat, hidden, num_layers=n_layers)
        self.feat_att = nn.Linear(feat, hidden)
        self.hid_att = nn.Linear(hidden, hidden)
        self.full_att = nn.Linear(hidden, 1)
        self.fc = nn.Linear(hidden, vocab_size)
        self.n_layers = n_layers

    def attend(self, regions, h):
        top = h[-1]
        att = self.full_att(torch.relu(self.feat_att(regions) + self.hid_att(top).unsqueeze(1)))
        alpha = att.squeeze(2).softmax(dim=1)
        return (regions * alpha.unsqueeze(2)).sum(dim=1), alpha

    def forward(self, regions, captions):
        h = torch.tanh(self.init_h(regions.mean(dim=1))).repeat(self.n_layers, 1, 1)
        words = self.embed(captions)
        logits, alphas = [], []
        for t in range(captions.size(1)):
            awe, alpha = self.attend(regions, h)
            step = torch.cat([words[:, t], awe], dim=1).unsqueeze(0)
            out, h = self.rnn(step, h)
            logits.append(self.fc(out[0]))
            alphas.append(alpha)
        return torch.stack(logits, 1), torch.stack(alphas, 1)


if __name__ == "__main__":
    dec = CaptionDecoder(1000)
    y, a = dec(torch.randn(5, 49, 128), torch.randint(0, 1000, (5, 12)))
    print(y.shape, a.shape)
