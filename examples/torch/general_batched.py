"""General attention (Luong et al., 2015) for a batch, all decoder steps at once, in PyTorch."""

import torch


def general_attention(decoder_states, encoder_states, W):
    """Attend over the encoder states at every decoder step.

    Args:
        decoder_states: (B, T_dec, d_s)
        encoder_states: (B, T_enc, d_h)
        W: (d_s, d_h)

    Returns:
        context (B, T_dec, d_h) and weights (B, T_dec, T_enc)
    """
    scores = torch.bmm(torch.matmul(decoder_states, W), encoder_states.transpose(1, 2))
    weights = scores.softmax(-1)
    context = torch.bmm(weights, encoder_states)
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T_dec, T_enc, d_h, d_s = 2, 3, 5, 6, 4
    decoder_states = torch.randn(B, T_dec, d_s)
    encoder_states = torch.randn(B, T_enc, d_h)
    W = torch.randn(d_s, d_h)
    context, weights = general_attention(decoder_states, encoder_states, W)
    print("weights", tuple(weights.shape), "context", tuple(context.shape))
