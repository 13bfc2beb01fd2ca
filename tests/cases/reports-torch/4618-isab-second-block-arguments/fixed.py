import torch
import torch.nn as nn


class MAB(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.att = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ln0 = nn.LayerNorm(dim)
        self.ln1 = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, dim), nn.ReLU())

    def forward(self, X, Y):
        h = self.ln0(X + self.att(X, Y, Y, need_weights=False)[0])
        return self.ln1(h + self.ff(h))


class ISAB(nn.Module):
    def __init__(self, dim, heads, m):
        super().__init__()
        self.I = nn.Parameter(torch.empty(1, m, dim))
        nn.init.xavier_uniform_(self.I)
        self.mab0 = MAB(dim, heads)
        self.mab1 = MAB(dim, heads)

    def forward(self, X):
        H = self.mab0(self.I.expand(X.size(0), -1, -1), X)
        return self.mab1(X, H)


class PMA(nn.Module):
    def __init__(self, dim, heads, seeds=1):
        super().__init__()
        self.S = nn.Parameter(torch.empty(1, seeds, dim))
        nn.init.xavier_uniform_(self.S)
        self.mab = MAB(dim, heads)

    def forward(self, X):
        return self.mab(self.S.expand(X.size(0), -1, -1), X)


class PointCloudClassifier(nn.Module):
    def __init__(self, dim=64, heads=4, m=16, classes=40):
        super().__init__()
        self.embed = nn.Linear(3, dim)
        self.enc = nn.Sequential(ISAB(dim, heads, m), ISAB(dim, heads, m))
        self.pool = PMA(dim, heads)
        self.out = nn.Linear(dim, classes)

    def forward(self, pts):
        return self.out(self.pool(self.enc(self.embed(pts))).squeeze(1))
