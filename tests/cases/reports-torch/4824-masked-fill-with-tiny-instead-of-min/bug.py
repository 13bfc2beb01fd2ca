import torch
import torch.nn as nn


class CellAttention(nn.Module):
    """
    Self-attention over the linearised cells of a table. A cell may only see
    cells of its own row or its own column.
    """

    def __init__(self, hidden_size, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_size = hidden_size // num_heads
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)

    def shape(self, t):
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_size).permute(0, 2, 1, 3)

    def forward(self, cells, row_ids, col_ids, is_cell):
        q, k, v = self.shape(self.query(cells)), self.shape(self.key(cells)), self.shape(self.value(cells))
        scores = torch.matmul(q, k.transpose(-1, -2)) / self.head_size ** 0.5

        same_row = row_ids[:, :, None] == row_ids[:, None, :]
        same_col = col_ids[:, :, None] == col_ids[:, None, :]
        visible = (same_row | same_col) & is_cell[:, None, :]
        scores = scores.masked_fill(~visible[:, None], torch.finfo(scores.dtype).tiny)

        probs = scores.softmax(dim=-1)
        ctx = torch.matmul(probs, v).permute(0, 2, 1, 3).flatten(2)
        return self.dense(ctx), probs
