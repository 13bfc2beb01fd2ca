import torch
import torch.nn as nn


class GraphTransformerLayer(nn.Module):
    """Nodes only attend to their neighbours (and to themselves)."""

    def __init__(self, hidden_dim, num_heads, dropout=0.0):
        super().__init__()
        self.num_heads = num_heads
        self.attention = nn.MultiheadAttention(hidden_dim, num_heads, dropout=dropout, batch_first=True)
        self.norm1 = nn.LayerNorm(hidden_dim)
        self.norm2 = nn.LayerNorm(hidden_dim)
        self.ffn = nn.Sequential(nn.Linear(hidden_dim, 2 * hidden_dim), nn.ReLU(), nn.Linear(2 * hidden_dim, hidden_dim))

    def forward(self, nodes, adj):
        """
        nodes: [batch, num_nodes, hidden_dim]
        adj:   [batch, num_nodes, num_nodes], 1 where there is an edge
        """
        eye = torch.eye(adj.size(-1), device=adj.device)
        attn_mask = ((adj + eye) == 0).repeat_interleave(self.num_heads, dim=0)
        out, _ = self.attention(nodes, nodes, nodes, attn_mask=attn_mask)
        nodes = self.norm1(nodes + out)
        return self.norm2(nodes + self.ffn(nodes))
