import torch
import torch.nn as nn


class WindowMultiHeadAttention(nn.Module):
    """Scaled cosine attention in a window."""

    def __init__(self, in_features: int, number_of_heads: int) -> None:
        super(WindowMultiHeadAttention, self).__init__()
        self.in_features: int = in_features
        self.number_of_heads: int = number_of_heads
        self.mapping_qkv: nn.Module = nn.Linear(in_features, in_features * 3, bias=True)
        self.projection: nn.Module = nn.Linear(in_features, in_features, bias=True)
        self.register_parameter("tau", nn.Parameter(torch.ones(1, number_of_heads, 1, 1)))

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        # input (torch.Tensor): [batch size * windows, tokens, channels]
        batch_size_windows, tokens, channels = input.shape
        query_key_value = self.mapping_qkv(input)
        query_key_value = query_key_value.view(batch_size_windows, tokens, 3, self.number_of_heads, channels // self.number_of_heads).permute(2, 0, 3, 1, 4)
        query, key, value = query_key_value[0], query_key_value[1], query_key_value[2]

        # Compute attention map with the dot product, then divide by the norms
        attention_map = torch.einsum("bhqd, bhkd -> bhqk", query, key)
        norms = torch.norm(query, dim=-1, keepdim=True) @ torch.norm(key, dim=-1, keepdim=True).transpose(-2, -1)
        attention_map = attention_map / torch.clamp(norms, min=1e-06)
        attention_map = attention_map / self.tau.clamp(min=0.01)
        attention_map = attention_map.softmax(dim=-1)

        output = torch.einsum("bhal, bhlv -> bhav", attention_map, value)
        output = output.permute(0, 2, 1, 3).reshape(batch_size_windows, tokens, -1)
        return self.projection(output)
