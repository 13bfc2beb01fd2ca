import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, dim, batch_first=True)
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.fc = nn.Linear(dim, 2)

    def forward(self, x):
        out, _ = self.lstm(self.emb(x))
        q, k = self.q(out), self.k(out)
        att = torch.matmul(q, k.transpose(0, 1)) / q.size(-1) ** 0.5
        att = att.softmax(-1)
        return self.fc(torch.matmul(att, out).mean(1))


net = Net(100, 32)
print(net(torch.randint(0, 100, (16, 10))).shape)
