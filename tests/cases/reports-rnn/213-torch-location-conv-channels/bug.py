import torch
from torch import nn
import torch.nn.functional as F


class LocationAttention(nn.Module):
    def __init__(self, query_dim, memory_dim, attn_dim, n_filters=8, kernel=5):
        super().__init__()
        self.query = nn.Linear(query_dim, attn_dim, bias=False)
        self.memory = nn.Linear(memory_dim, attn_dim, bias=False)
        self.conv = nn.Conv1d(1, n_filters, kernel, padding=kernel // 2)
        self.location = nn.Linear(n_filters, attn_dim, bias=False)
        self.v = nn.Linear(attn_dim, 1)

    def forward(self, query, memory, prev_alignment):
        """query (B, Q), memory (B, T, M), prev_alignment (B, T)"""
        loc = self.conv(prev_alignment).transpose(1, 2)
        e = self.v(torch.tanh(self.query(query).unsqueeze(1) + self.memory(memory) + self.location(loc)))
        alignment = F.softmax(e.squeeze(-1), dim=1)
        return torch.bmm(alignment.unsqueeze(1), memory).squeeze(1), alignment


if __name__ == "__main__":
    att = LocationAttention(10, 12, 6)
    c, a = att(torch.randn(3, 10), torch.randn(3, 9, 12), torch.zeros(3, 9))
    print(c.shape, a.shape)
