import torch
import torch.nn as nn

MAX_LEN = 40
EMB_DIM = 300  # glove.6B.300d
N_HEADS = 8
BATCH = 16


class SelfAttention(nn.Module):
    def __init__(self, emb_dim, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.head_dim = emb_dim // n_heads
        self.q = nn.Linear(emb_dim, emb_dim)
        self.k = nn.Linear(emb_dim, emb_dim)
        self.v = nn.Linear(emb_dim, emb_dim)
        self.o = nn.Linear(emb_dim, emb_dim)

    def split(self, t):
        b, l, _ = t.shape
        return t.view(b, l, self.n_heads, self.head_dim).transpose(1, 2)

    def forward(self, x):
        b, l, d = x.shape
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        w = torch.softmax(q @ k.transpose(2, 3) / self.head_dim ** 0.5, dim=-1)
        return self.o((w @ v).transpose(1, 2).reshape(b, l, d))


class ReviewModel(nn.Module):
    def __init__(self, vectors):
        super().__init__()
        self.emb = nn.Embedding.from_pretrained(vectors)
        self.attn = SelfAttention(EMB_DIM, N_HEADS)
        self.out = nn.Linear(EMB_DIM, 2)

    def forward(self, ids):
        return self.out(self.attn(self.emb(ids)).mean(1))


vectors = torch.randn(2000, EMB_DIM)
model = ReviewModel(vectors)
scores = model(torch.randint(0, 2000, (BATCH, MAX_LEN)))
print(scores.shape)
