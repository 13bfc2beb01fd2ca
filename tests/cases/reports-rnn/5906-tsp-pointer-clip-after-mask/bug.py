import torch
import torch.nn as nn
import torch.nn.functional as F


class Pointer(nn.Module):
    def __init__(self, hidden, clip=10.0):
        super().__init__()
        self.clip = clip
        self.w_ref = nn.Linear(hidden, hidden, bias=False)
        self.w_q = nn.Linear(hidden, hidden, bias=False)
        self.v = nn.Parameter(torch.empty(hidden).uniform_(-1, 1))

    def forward(self, query, refs, visited):
        u = torch.tanh(self.w_ref(refs) + self.w_q(query)[:, None]) @ self.v
        u = u.masked_fill(visited, float("-inf"))
        u = self.clip * torch.tanh(u)
        return F.softmax(u, dim=-1)


class TSPAgent(nn.Module):
    def __init__(self, hidden=64):
        super().__init__()
        self.embed = nn.Linear(2, hidden)
        self.encoder = nn.LSTM(hidden, hidden, batch_first=True)
        self.decoder = nn.LSTMCell(hidden, hidden)
        self.pointer = Pointer(hidden)
        self.go = nn.Parameter(torch.zeros(hidden))

    def forward(self, cities):
        x = self.embed(cities)
        refs, (h, c) = self.encoder(x)
        h, c = h[0], c[0]
        inp = self.go.expand(x.size(0), -1)
        visited = torch.zeros(cities.shape[:2], dtype=torch.bool)
        probs = []
        for _ in range(cities.size(1)):
            h, c = self.decoder(inp, (h, c))
            p = self.pointer(h, refs, visited)
            choice = torch.multinomial(p, 1).squeeze(1)
            visited = visited | F.one_hot(choice, cities.size(1)).bool()
            inp = x[torch.arange(x.size(0)), choice]
            probs.append(p)
        return torch.stack(probs, dim=1)


if __name__ == "__main__":
    print(TSPAgent()(torch.rand(8, 10, 2)).shape)
