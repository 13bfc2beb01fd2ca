import torch
import torch.nn as nn
import torch.nn.functional as F


def segment_softmax(src, index, num_nodes):
    expanded = index[:, None].expand_as(src)
    top = torch.full((num_nodes, src.size(1)), float("-inf")).scatter_reduce(0, expanded, src, "amax")
    out = (src - top[index]).exp()
    total = torch.zeros(num_nodes, src.size(1)).index_add(0, index, out)
    return out / (total[index] + 1e-16)


class GATConv(nn.Module):
    def __init__(self, in_channels, out_channels, heads=1, negative_slope=0.2):
        super().__init__()
        self.heads, self.out_channels = heads, out_channels
        self.negative_slope = negative_slope
        self.lin = nn.Linear(in_channels, heads * out_channels, bias=False)
        self.att_l = nn.Parameter(torch.empty(1, heads, out_channels))
        self.att_r = nn.Parameter(torch.empty(1, heads, out_channels))
        self.bias = nn.Parameter(torch.zeros(heads * out_channels))
        for p in (self.lin.weight, self.att_l, self.att_r):
            nn.init.xavier_uniform_(p)

    def forward(self, x, edge_index):
        num_nodes = x.size(0)
        loops = torch.arange(num_nodes).expand(2, -1)
        source, target = torch.cat([edge_index, loops], dim=1)

        x = self.lin(x).view(-1, self.heads, self.out_channels)
        alpha_l, alpha_r = (x * self.att_l).sum(dim=-1), (x * self.att_r).sum(dim=-1)
        alpha = F.leaky_relu(alpha_l[source] + alpha_r[target], self.negative_slope)
        alpha = segment_softmax(alpha, target, num_nodes)

        messages = x[source] * alpha.unsqueeze(-1)
        out = torch.zeros_like(x).index_add(0, target, messages)
        return out.flatten(1) + self.bias


if __name__ == "__main__":
    conv = GATConv(10, 8, heads=4)
    edges = torch.tensor([[0, 1, 1, 2, 3, 4], [1, 0, 2, 3, 4, 0]])
    print(conv(torch.randn(5, 10), edges).shape)
