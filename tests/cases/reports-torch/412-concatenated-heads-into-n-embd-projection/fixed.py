import torch
import torch.nn as nn
from torch.nn import functional as F

# hyperparameters
context = 64      # characters
n_embd = 128
n_head = 6
head_size = 32
dropout = 0.2


class CausalHead(nn.Module):
    """a single head, looks at the past only"""

    def __init__(self, size):
        super().__init__()
        self.k = nn.Linear(n_embd, size, bias=False)
        self.q = nn.Linear(n_embd, size, bias=False)
        self.v = nn.Linear(n_embd, size, bias=False)
        self.register_buffer('past', torch.ones(context, context).tril().bool())

    def forward(self, x):
        T = x.shape[1]
        k, q, v = self.k(x), self.q(x), self.v(x)   # (B,T,size)
        aff = q @ k.transpose(-2, -1) * k.shape[-1] ** -0.5   # (B,T,T)
        aff = aff.masked_fill(~self.past[:T, :T], float('-inf'))
        return F.softmax(aff, dim=-1) @ v


class ManyHeads(nn.Module):
    """several heads side by side"""

    def __init__(self, num, size):
        super().__init__()
        self.heads = nn.ModuleList([CausalHead(size) for _ in range(num)])
        self.proj = nn.Linear(num * size, n_embd)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        out = torch.cat([h(x) for h in self.heads], dim=-1)
        return self.dropout(self.proj(out))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.sa = ManyHeads(n_head, head_size)
        self.ffwd = nn.Sequential(nn.Linear(n_embd, 4 * n_embd), nn.ReLU(), nn.Linear(4 * n_embd, n_embd))
        self.ln1, self.ln2 = nn.LayerNorm(n_embd), nn.LayerNorm(n_embd)

    def forward(self, x):
        x = x + self.sa(self.ln1(x))
        return x + self.ffwd(self.ln2(x))


if __name__ == '__main__':
    blocks = nn.Sequential(Block(), Block(), Block())
    print(blocks(torch.randn(4, context, n_embd)).shape)
