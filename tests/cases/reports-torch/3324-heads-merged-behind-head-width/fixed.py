import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    """Multi-head attention for loading pretrained BERT weights.

    Inputs are batch first; `mask` is True for tokens that may be attended, shape (batch, keys).
    """

    def __init__(self, embed_size, heads):
        super().__init__()
        assert embed_size % heads == 0, "embed_size must be divisible by heads"
        self.heads = heads
        self.queries = nn.Linear(embed_size, embed_size)
        self.keys = nn.Linear(embed_size, embed_size)
        self.values = nn.Linear(embed_size, embed_size)
        self.fc_out = nn.Linear(embed_size, embed_size)

    def split(self, x):
        n, length, width = x.shape
        return x.view(n, length, self.heads, width // self.heads).permute(0, 2, 1, 3)

    def merge(self, x):
        n, heads, length, head_dim = x.shape
        return x.permute(0, 2, 1, 3).reshape(n, length, heads * head_dim)

    def forward(self, query, key, value, mask=None):
        q = self.split(self.queries(query))
        k = self.split(self.keys(key))
        v = self.split(self.values(value))

        energy = torch.einsum("nhqd,nhkd->nhqk", q, k) / q.size(-1) ** 0.5
        if mask is not None:
            energy = energy.masked_fill(~mask[:, None, None, :], -1e20)
        attention = F.softmax(energy, dim=3)
        out = torch.einsum("nhqk,nhkd->nhqd", attention, v)
        return self.fc_out(self.merge(out))


if __name__ == "__main__":
    mha = MultiHeadAttention(embed_size=768, heads=12)
    x = torch.randn(2, 20, 768)
    print(mha(x, x, x, torch.ones(2, 20, dtype=torch.bool)).shape)
