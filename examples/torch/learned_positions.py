"""Self-attention over inputs with learned positions (Gehring et al., 2017), in PyTorch."""

import torch


def self_attention(x, position_table):
    """x (B, T, d_model), position_table (max_len, d_model) -> (B, T, d_model), (B, T, T)."""
    states = x + position_table[: x.size(1)]
    scores = torch.bmm(states, states.transpose(1, 2)) / states.size(-1) ** 0.5
    weights = torch.softmax(scores, dim=-1)
    output = torch.bmm(weights, states)
    return output, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T, d_model, max_len = 2, 5, 6, 10
    output, weights = self_attention(torch.randn(B, T, d_model), torch.randn(max_len, d_model))
    print("weights", tuple(weights.shape), "sums", weights.sum(dim=-1).tolist())
    print("output", tuple(output.shape))
