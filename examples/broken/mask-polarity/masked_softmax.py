"""Masked softmax over a batch of sequences of different lengths, in PyTorch.

Positions at or after a sequence's length get a weight of exactly zero. Every length is at
least one: a softmax over nothing has no value.
"""

import torch


def masked_softmax(scores, lengths):
    """scores (B, T_enc), lengths (B,) -> weights (B, T_enc)."""
    positions = torch.arange(scores.size(1), device=scores.device)
    padding = positions.unsqueeze(0) < lengths.unsqueeze(1)
    scores = scores.masked_fill(padding, float("-inf"))
    return torch.softmax(scores, dim=1)


def masked_general_attention(decoder_state, encoder_states, lengths, W):
    """General attention that ignores padding.

    decoder_state (B, d_s), encoder_states (B, T_enc, d_h), lengths (B,), W (d_s, d_h).
    Returns the context (B, d_h) and the weights (B, T_enc).
    """
    query = decoder_state @ W
    scores = torch.bmm(encoder_states, query.unsqueeze(-1)).squeeze(-1)
    weights = masked_softmax(scores, lengths)
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T_enc, d_h, d_s = 3, 5, 6, 4
    lengths = torch.tensor([5, 2, 4])
    decoder_state = torch.randn(B, d_s)
    encoder_states = torch.randn(B, T_enc, d_h)
    W = torch.randn(d_s, d_h)
    context, weights = masked_general_attention(decoder_state, encoder_states, lengths, W)
    for length, row in zip(lengths.tolist(), weights, strict=True):
        print(f"length {length}: weights {[round(w, 3) for w in row.tolist()]}")
    print("context", tuple(context.shape))
