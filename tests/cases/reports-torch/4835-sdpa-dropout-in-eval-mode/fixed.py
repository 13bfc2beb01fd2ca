import torch
import torch.nn as nn
import torch.nn.functional as F


class WindowedSelfAttention(nn.Module):
    def __init__(self, d_model: int, n_head: int, dropout: float = 0.1):
        super().__init__()
        self.n_head = n_head
        self.dropout = dropout
        self.c_attn = nn.Linear(d_model, 3 * d_model)
        self.c_proj = nn.Linear(d_model, d_model)
        self.resid_dropout = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        y = F.scaled_dot_product_attention(q, k, v, dropout_p=self.dropout if self.training else 0.0)
        y = y.transpose(1, 2).contiguous().view(B, T, C)
        return self.resid_dropout(self.c_proj(y))


class ForecastEncoder(nn.Module):
    """Encodes a window of sensor readings and predicts the next value of each sensor."""

    def __init__(self, n_sensors, d_model=64, n_head=4, depth=2, dropout=0.1):
        super().__init__()
        self.inp = nn.Linear(n_sensors, d_model)
        self.layers = nn.ModuleList([WindowedSelfAttention(d_model, n_head, dropout) for _ in range(depth)])
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(depth)])
        self.out = nn.Linear(d_model, n_sensors)

    def forward(self, window):
        x = self.inp(window)
        for norm, layer in zip(self.norms, self.layers):
            x = x + layer(norm(x))
        return self.out(x[:, -1])


def evaluate(model, windows, targets):
    model.eval()
    with torch.no_grad():
        return F.l1_loss(model(windows), targets).item()
