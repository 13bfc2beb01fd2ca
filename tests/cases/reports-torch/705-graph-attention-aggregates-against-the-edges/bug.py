import torch
import torch.nn as nn


class DenseGATLayer(nn.Module):
    def __init__(self, in_features, out_features, num_heads):
        super().__init__()
        self.num_heads, self.out_features = num_heads, out_features
        self.proj = nn.Linear(in_features, num_heads * out_features, bias=False)
        self.scoring_source = nn.Parameter(torch.empty(1, num_heads, out_features))
        self.scoring_target = nn.Parameter(torch.empty(1, num_heads, out_features))
        self.leaky_relu = nn.LeakyReLU(0.2)
        nn.init.xavier_uniform_(self.scoring_source)
        nn.init.xavier_uniform_(self.scoring_target)

    def forward(self, x, connectivity_mask):
        num_nodes = x.shape[0]
        h = self.proj(x).view(num_nodes, self.num_heads, self.out_features)

        scores_source = (h * self.scoring_source).sum(dim=-1, keepdim=True)      # N, NH, 1
        scores_target = (h * self.scoring_target).sum(dim=-1, keepdim=True)
        scores_source = scores_source.transpose(0, 1)                            # NH, N, 1
        scores_target = scores_target.permute(1, 2, 0)                           # NH, 1, N
        all_scores = self.leaky_relu(scores_source + scores_target) + connectivity_mask

        coefficients = torch.softmax(all_scores, dim=-1)
        out = torch.bmm(coefficients, h.transpose(0, 1))
        return out.transpose(0, 1).reshape(num_nodes, -1)


def mask_from_edges(edge_index, num_nodes):
    source, target = edge_index
    mask = torch.full((num_nodes, num_nodes), float("-inf"))
    mask[source, target] = 0.0
    mask.fill_diagonal_(0.0)
    return mask


if __name__ == "__main__":
    edges = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
    layer = DenseGATLayer(7, 8, num_heads=2)
    print(layer(torch.randn(5, 7), mask_from_edges(edges, 5)).shape)
