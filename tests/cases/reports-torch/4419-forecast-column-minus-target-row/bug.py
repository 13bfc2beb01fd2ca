import torch
import torch.nn as nn


def make_windows(series, size):
    """All windows of `size` steps and the first column of the step that follows each."""
    windows = series.unfold(0, size, 1)[:-1].transpose(1, 2)
    return windows, series[size:, 0]


class AttentionForecaster(nn.Module):
    def __init__(self, n_features, hidden=32):
        super().__init__()
        self.proj = nn.Linear(n_features, hidden)
        self.query = nn.Parameter(torch.randn(hidden))
        self.out = nn.Linear(hidden, 1)

    def forward(self, window):
        h = torch.tanh(self.proj(window))
        alpha = torch.softmax(h @ self.query, dim=1)
        pooled = (alpha.unsqueeze(-1) * h).sum(dim=1)
        return self.out(pooled)


def rmse(model, series, size=10):
    x, y = make_windows(series, size)
    pred = model(x)
    return torch.sqrt(torch.mean((pred - y) ** 2))


if __name__ == "__main__":
    series = torch.randn(80, 4).cumsum(dim=0)
    model = AttentionForecaster(n_features=4)
    optim = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        loss = rmse(model, series)
        optim.zero_grad()
        loss.backward()
        optim.step()
        print(epoch, loss.item())
