"""Dot-product attention of a sequence's last state over all of its states, for a batch, in PyTorch."""

import torch


def last_state_attention(encoder_states):
    """encoder_states (B, T_enc, d_h) -> context (B, d_h), weights (B, T_enc)."""
    query = encoder_states[:, -1]
    scores = torch.bmm(encoder_states, query.unsqueeze(2)).squeeze(2)
    weights = torch.softmax(scores, dim=1)
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T_enc, d_h = 2, 5, 6
    context, weights = last_state_attention(torch.randn(B, T_enc, d_h))
    print("weights", tuple(weights.shape), "sums", weights.sum(dim=1).tolist())
    print("context", tuple(context.shape))
