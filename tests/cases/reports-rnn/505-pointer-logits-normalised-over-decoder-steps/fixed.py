import torch
import torch.nn as nn
import torch.nn.functional as F


class PtrNet(nn.Module):
    # sorts numbers: output step i points at the i-th smallest input
    def __init__(self, hidden):
        super().__init__()
        self.enc = nn.LSTM(1, hidden, batch_first=True)
        self.dec = nn.LSTM(1, hidden, batch_first=True)
        self.W1 = nn.Linear(hidden, hidden, bias=False)
        self.W2 = nn.Linear(hidden, hidden, bias=False)
        self.vt = nn.Linear(hidden, 1, bias=False)

    def forward(self, x, dec_in):
        e, state = self.enc(x.unsqueeze(-1))
        d, _ = self.dec(dec_in.unsqueeze(-1), state)
        u = torch.tanh(self.W1(e).unsqueeze(1) + self.W2(d).unsqueeze(2))   # (B, n_out, n_in, H)
        logits = self.vt(u).squeeze(-1)
        return F.log_softmax(logits, dim=2)


def train_step(model, opt, batch_size=16, n=8):
    x = torch.rand(batch_size, n)
    y, target = x.sort(dim=1)
    dec_in = torch.cat([torch.zeros(batch_size, 1), y[:, :-1]], dim=1)
    logp = model(x, dec_in)
    loss = F.nll_loss(logp.reshape(-1, n), target.reshape(-1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss.item()


if __name__ == "__main__":
    net = PtrNet(32)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for it in range(3):
        print(it, train_step(net, opt))
