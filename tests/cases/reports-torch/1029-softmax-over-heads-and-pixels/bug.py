import torch
import torch.nn as nn
import torch.nn.functional as F


class MHAttentionMap(nn.Module):
    """This is a 2D attention module, which only returns the attention softmax (no multiplication by value)"""

    def __init__(self, query_dim, hidden_dim, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.num_heads = num_heads
        self.hidden_dim = hidden_dim
        self.dropout = nn.Dropout(dropout)
        self.q_linear = nn.Linear(query_dim, hidden_dim, bias=bias)
        self.k_linear = nn.Conv2d(query_dim, hidden_dim, kernel_size=1, bias=bias)
        self.normalize_fact = float(hidden_dim / num_heads) ** -0.5

    def forward(self, q, k, mask=None):
        # q: [bs, num_queries, c], k: [bs, c, h, w], mask: [bs, h, w]
        q = self.q_linear(q)
        k = self.k_linear(k)
        qh = q.view(q.shape[0], q.shape[1], self.num_heads, self.hidden_dim // self.num_heads)
        kh = k.view(k.shape[0], self.num_heads, self.hidden_dim // self.num_heads, k.shape[-2], k.shape[-1])
        weights = torch.einsum("bqnc,bnchw->bqnhw", qh * self.normalize_fact, kh)

        if mask is not None:
            weights = weights.masked_fill(mask.unsqueeze(1).unsqueeze(1), float("-inf"))
        weights = F.softmax(weights.flatten(2), dim=-1).view(weights.size())
        return self.dropout(weights)


if __name__ == "__main__":
    attention = MHAttentionMap(256, 256, 8)
    maps = attention(torch.randn(2, 100, 256), torch.randn(2, 256, 25, 34))
    print(maps.shape)
