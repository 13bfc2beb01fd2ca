import torch
import torch.nn as nn


class EinsumAttn(nn.Module):
    def forward(self, hidden, enc):
        w = torch.einsum('bh,bth->bt', hidden, enc).softmax(-1)
        return torch.einsum('bt,bth->bh', w, enc)


class Model(nn.Module):
    def __init__(self, n_in, n_hid, n_out):
        super().__init__()
        self.enc = nn.GRU(n_in, n_hid, batch_first=True)
        self.attn = EinsumAttn()
        self.out = nn.Linear(2 * n_hid, n_out)

    def forward(self, x):
        enc, hidden = self.enc(x)
        ctx = self.attn(hidden, enc)
        return self.out(torch.cat([ctx, hidden[-1]], -1))


if __name__ == '__main__':
    print(Model(3, 8, 2)(torch.randn(5, 12, 3)))
