import torch
from torch import nn
from torch import Tensor


class MultiHeadAttention(nn.Module):
    """Multi-Head Attention Sub-Layer, with weights per head."""

    def __init__(self, d_model: int = 512, d_k: int = 64, n_heads: int = 8):
        super().__init__()
        self.d_k = d_k
        self.weight_query = nn.Parameter(torch.randn(n_heads, d_model, d_k) * 0.05)
        self.weight_key = nn.Parameter(torch.randn(n_heads, d_model, d_k) * 0.05)
        self.weight_value = nn.Parameter(torch.randn(n_heads, d_model, d_k) * 0.05)
        self.weight_out = nn.Parameter(torch.randn(n_heads, d_k, d_model) * 0.05)

    def forward(self, residual_stream: Tensor) -> Tensor:
        """Forward

        Args:
            residual_stream (Tensor): (batch, pos, d_model)
        """
        query = torch.einsum("bpm,hmk->bhpk", residual_stream, self.weight_query)
        key = torch.einsum("bpm,hmk->bhpk", residual_stream, self.weight_key)
        value = torch.einsum("bpm,hmk->bhpk", residual_stream, self.weight_value)

        scores = torch.einsum("bhqk,bhsk->bhqs", query, key) / self.d_k ** 0.5
        pattern = torch.softmax(scores, dim=-1)
        mixed = torch.einsum("bhqs,bhsk->bhqk", pattern, value)
        return torch.einsum("bhqk,hkm->bqm", mixed, self.weight_out)
