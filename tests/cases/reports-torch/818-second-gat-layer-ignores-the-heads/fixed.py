import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttention(nn.Module):
    def __init__(self, in_channels, out_channels, heads=1, dropout=0.0):
        super().__init__()
        self.heads, self.out_channels, self.dropout = heads, out_channels, dropout
        self.lin = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, heads, out_channels))
        self.att_dst = nn.Parameter(torch.empty(1, heads, out_channels))
        nn.init.xavier_uniform_(self.att_src)
        nn.init.xavier_uniform_(self.att_dst)

    def forward(self, x, adj):
        h = self.lin(x).view(-1, self.heads, self.out_channels)
        a_src, a_dst = (h * self.att_src).sum(-1), (h * self.att_dst).sum(-1)      # (N, heads)
        alpha = F.leaky_relu(a_dst.unsqueeze(1) + a_src.unsqueeze(0), 0.2)         # (N, N, heads)
        alpha = alpha.masked_fill(~adj.unsqueeze(-1), float("-inf")).softmax(dim=1)
        alpha = F.dropout(alpha, self.dropout, self.training)
        out = torch.einsum("ijh,jhc->ihc", alpha, h)
        return out.flatten(1)


class ShapeSegmenter(nn.Module):
    def __init__(self, in_channels=2, hidden=32, classes=3, heads=2):
        super().__init__()
        self.conv1 = GraphAttention(in_channels, hidden, heads)
        self.conv2 = GraphAttention(hidden * heads, hidden, heads)
        self.lin = nn.Linear(hidden * heads, classes)

    def forward(self, x, adj):
        x = F.elu(self.conv1(x, adj))
        x = F.dropout(x, 0.2, self.training)
        x = F.elu(self.conv2(x, adj))
        return self.lin(x)


def ring(n):
    eye = torch.eye(n, dtype=torch.bool)
    return eye | eye.roll(1, 0) | eye.roll(-1, 0)


if __name__ == "__main__":
    net = ShapeSegmenter()
    print(net(torch.rand(12, 2), ring(12)).shape)
