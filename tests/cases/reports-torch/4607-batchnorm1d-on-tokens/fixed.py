import torch
import torch.nn as nn


class PatchEncoderLayer(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.1):
        super().__init__()
        self.attn = nn.MultiheadAttention(d_model, n_heads, dropout=dropout, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(d_model, d_ff), nn.GELU(), nn.Linear(d_ff, d_model))
        self.norm_attn = nn.BatchNorm1d(d_model)
        self.norm_ff = nn.BatchNorm1d(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, z):
        a, _ = self.attn(z, z, z, need_weights=False)
        z = z + self.dropout(a)
        z = self.norm_attn(z.transpose(1, 2)).transpose(1, 2)
        z = z + self.dropout(self.ff(z))
        return self.norm_ff(z.transpose(1, 2)).transpose(1, 2)


class PatchForecaster(nn.Module):
    def __init__(self, context=96, horizon=24, patch=16, stride=8, d_model=128, n_heads=8, layers=2):
        super().__init__()
        self.patch, self.stride = patch, stride
        n = (context - patch) // stride + 1
        self.embed = nn.Linear(patch, d_model)
        self.pos = nn.Parameter(torch.zeros(n, d_model))
        self.layers = nn.ModuleList(PatchEncoderLayer(d_model, n_heads, 2 * d_model) for _ in range(layers))
        self.head = nn.Linear(n * d_model, horizon)

    def forward(self, series):
        bs, n_vars, _ = series.shape
        p = series.unfold(-1, self.patch, self.stride)      # bs x n_vars x n x patch
        z = self.embed(p).flatten(0, 1) + self.pos           # bs*n_vars x n x d_model
        for layer in self.layers:
            z = layer(z)
        return self.head(z.flatten(1)).view(bs, n_vars, -1)


if __name__ == "__main__":
    print(PatchForecaster()(torch.randn(4, 7, 96)).shape)
