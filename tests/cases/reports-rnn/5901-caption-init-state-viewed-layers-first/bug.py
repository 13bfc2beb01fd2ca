import torch
import torch.nn as nn


class RegionCaptioner(nn.Module):
    """LSTM caption decoder with soft attention over region features."""

    def __init__(self, vocab, feat=2048, emb=300, hidden=512, layers=2):
        super().__init__()
        self.layers, self.hidden = layers, hidden
        self.embed = nn.Embedding(vocab, emb)
        self.init_h = nn.Linear(feat, layers * hidden)
        self.init_c = nn.Linear(feat, layers * hidden)
        self.lstm = nn.LSTM(emb + feat, hidden, layers, batch_first=True)
        self.att_feat = nn.Linear(feat, hidden)
        self.att_hid = nn.Linear(hidden, hidden)
        self.att = nn.Linear(hidden, 1)
        self.out = nn.Linear(hidden, vocab)

    def per_layer(self, x):
        # what nn.LSTM wants: (layers, batch, hidden)
        return x.view(self.layers, -1, self.hidden)

    def attend(self, regions, top):
        e = self.att(torch.tanh(self.att_feat(regions) + self.att_hid(top).unsqueeze(1)))
        a = torch.softmax(e, dim=1)
        return (a * regions).sum(dim=1)

    def forward(self, regions, captions):
        mean = regions.mean(dim=1)
        h = self.per_layer(torch.tanh(self.init_h(mean)))
        c = self.per_layer(torch.tanh(self.init_c(mean)))
        logits = []
        for t in range(captions.size(1)):
            ctx = self.attend(regions, h[-1])
            step = torch.cat([self.embed(captions[:, t]), ctx], dim=1).unsqueeze(1)
            y, (h, c) = self.lstm(step, (h, c))
            logits.append(self.out(y.squeeze(1)))
        return torch.stack(logits, dim=1)


if __name__ == "__main__":
    net = RegionCaptioner(vocab=1000, feat=64, emb=16, hidden=32)
    print(net(torch.randn(4, 36, 64), torch.randint(0, 1000, (4, 9))).shape)
