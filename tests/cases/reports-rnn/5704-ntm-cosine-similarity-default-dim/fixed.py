import torch
import torch.nn as nn
import torch.nn.functional as F


class ReadHead(nn.Module):
    """NTM read head.  memory: (batch, n_slots, width), w_prev: (batch, n_slots)"""

    def __init__(self, controller_dim, width):
        super().__init__()
        self.width = width
        self.fc = nn.Linear(controller_dim, width + 6)

    def _address(self, memory, k, beta, g, s, gamma, w_prev):
        sim = F.cosine_similarity(memory + 1e-16, k.unsqueeze(1) + 1e-16, dim=-1)
        w_c = F.softmax(beta * sim, dim=1)
        w_g = g * w_c + (1 - g) * w_prev
        w_hat = s[:, 0:1] * w_g.roll(1, 1) + s[:, 1:2] * w_g + s[:, 2:3] * w_g.roll(-1, 1)
        w = w_hat ** gamma
        return w / (w.sum(dim=1, keepdim=True) + 1e-16)

    def forward(self, h, memory, w_prev):
        k, beta, g, s, gamma = torch.split(self.fc(h), [self.width, 1, 1, 3, 1], dim=1)
        w = self._address(
            memory,
            torch.tanh(k),
            F.softplus(beta),
            torch.sigmoid(g),
            F.softmax(s, dim=1),
            1 + F.softplus(gamma),
            w_prev,
        )
        read = torch.bmm(w.unsqueeze(1), memory).squeeze(1)
        return read, w


class Controller(nn.Module):
    def __init__(self, n_in, n_out, hidden=100, n_slots=128, width=20):
        super().__init__()
        self.n_slots, self.width = n_slots, width
        self.lstm = nn.LSTMCell(n_in + width, hidden)
        self.head = ReadHead(hidden, width)
        self.out = nn.Linear(hidden + width, n_out)

    def forward(self, xs, memory):
        b = xs.size(0)
        read, state, ys = xs.new_zeros(b, self.width), None, []
        w = F.softmax(xs.new_zeros(b, self.n_slots), dim=1)
        for x in xs.unbind(1):
            state = self.lstm(torch.cat([x, read], dim=1), state)
            read, w = self.head(state[0], memory, w)
            ys.append(torch.sigmoid(self.out(torch.cat([state[0], read], dim=1))))
        return torch.stack(ys, dim=1)
