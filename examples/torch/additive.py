"""Additive attention (Bahdanau et al., 2015) for one decoder step, in PyTorch."""

import torch


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    """Attend over the encoder states.

    Args:
        decoder_state: decoder state before this step, (d_s,).
        encoder_states: (T_enc, d_h).
        W_a: (d_attn, d_s).
        U_a: (d_attn, d_h).
        v_a: (d_attn,).

    Returns:
        The context (d_h,) and the weights (T_enc,).
    """
    hidden = torch.tanh(W_a @ decoder_state + encoder_states @ U_a.T)
    scores = hidden @ v_a
    weights = torch.softmax(scores, dim=0)
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    T_enc, d_h, d_s, d_attn = 5, 6, 4, 3
    decoder_state = torch.randn(d_s)
    encoder_states = torch.randn(T_enc, d_h)
    W_a, U_a, v_a = torch.randn(d_attn, d_s), torch.randn(d_attn, d_h), torch.randn(d_attn)
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    print("weights", weights.tolist(), "sum", weights.sum().item())
    print("context", context.tolist())
