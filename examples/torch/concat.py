"""Concat attention (the additive form of Luong et al., 2015) for one decoder step, in PyTorch."""

import torch


def concat_attention(decoder_state, encoder_states, W_a, v_a):
    """decoder_state (d_s,), encoder_states (T_enc, d_h), W_a (d_attn, d_s + d_h), v_a (d_attn,)."""
    T_enc = encoder_states.size(0)
    repeated = decoder_state.expand(T_enc, -1)
    pairs = torch.cat([repeated, encoder_states], dim=1)
    scores = torch.tanh(pairs @ W_a.T) @ v_a
    weights = torch.softmax(scores, dim=0)
    context = weights @ encoder_states
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    T_enc, d_h, d_s, d_attn = 5, 6, 4, 3
    decoder_state = torch.randn(d_s)
    encoder_states = torch.randn(T_enc, d_h)
    W_a = torch.randn(d_attn, d_s + d_h)
    v_a = torch.randn(d_attn)
    context, weights = concat_attention(decoder_state, encoder_states, W_a, v_a)
    print("weights", weights.tolist(), "sum", weights.sum().item())
    print("context", context.tolist())
