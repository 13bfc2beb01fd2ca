import torch
import torch.nn as nn


class GraphTransformerLayer(nn.Module):
    """Nodes attend to their neighbours only."""

    def __init__(self, d_model: int, n_heads: int):
        super().__init__()
        self.n_heads = n_heads
        self.attn = nn.MultiheadAttention(d_model, n_heads, batch_first=True)
        self.norm = nn.LayerNorm(d_model)

    def forward(self, nodes: torch.Tensor, adjacency: torch.Tensor) -> torch.Tensor:
        # nodes: [B, N, D], adjacency: [B, N, N] with ones where there is an edge
        blocked = (adjacency == 0).repeat_interleave(self.n_heads, dim=0)
        out, _ = self.attn(nodes, nodes, nodes, attn_mask=blocked)
        return self.norm(nodes + out)


if __name__ == "__main__":
    B, N, D, H = 3, 6, 32, 4
    layer = GraphTransformerLayer(D, H)
    print(layer(torch.randn(B, N, D), torch.ones(B, N, N)).shape)
