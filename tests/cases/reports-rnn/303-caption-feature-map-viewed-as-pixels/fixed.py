import torch
from torch import nn


class GridEncoder(nn.Module):
    """small convnet, stands in for the pretrained one"""

    def __init__(self, width=256):
        super().__init__()
        self.width = width
        self.body = nn.Sequential(
            nn.Conv2d(3, 64, 3, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(64, width, 3, stride=2, padding=1), nn.ReLU(),
            nn.AdaptiveAvgPool2d(7),
        )

    def forward(self, pictures):
        grid = self.body(pictures)              # N x 256 x 7 x 7
        n = grid.size(0)
        return grid.permute(0, 2, 3, 1).reshape(n, -1, self.width)     # N x 49 x 256


class VisualAttention(nn.Module):
    def __init__(self, width, state, att):
        super().__init__()
        self.from_grid = nn.Linear(width, att)
        self.from_state = nn.Linear(state, att)
        self.score = nn.Linear(att, 1)

    def forward(self, grid, s):
        e = self.score(torch.tanh(self.from_grid(grid) + self.from_state(s).unsqueeze(1)))
        alpha = e.softmax(dim=1)                # N x 49 x 1
        return (alpha * grid).sum(dim=1), alpha.squeeze(2)


if __name__ == '__main__':
    cnn, look = GridEncoder(), VisualAttention(256, 512, 128)
    grid = cnn(torch.randn(4, 3, 64, 64))
    z, alpha = look(grid, torch.randn(4, 512))
    print(z.shape, alpha.view(4, 7, 7).shape)
