"""Dot-product attention (Luong et al., 2015) for a batch, one decoder step, in PyTorch."""

import torch


def dot_attention(decoder_state, encoder_states):
    """Attend over the encoder states.

    decoder_state: (B, d_h)
    encoder_states: (B, T_enc, d_h)
    returns: context (B, d_h), weights (B, T_enc)
    """
    B, T_enc, d_h = encoder_states.shape
    assert decoder_state.shape == (B, d_h)
    scores = torch.bmm(encoder_states, decoder_state.unsqueeze(2)).squeeze(2)
    weights = torch.softmax(scores, dim=1)
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T_enc, d_h = 2, 5, 6
    decoder_state = torch.randn(B, d_h)
    encoder_states = torch.randn(B, T_enc, d_h)
    context, weights = dot_attention(decoder_state, encoder_states)
    print("weights", tuple(weights.shape), "sums", weights.sum(dim=1).tolist())
    print("context", tuple(context.shape))
