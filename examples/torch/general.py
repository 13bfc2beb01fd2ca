"""General attention (Luong et al., 2015) for one decoder step, in PyTorch."""

import torch


def general_attention(decoder_state, encoder_states, W):
    """decoder_state (d_s,), encoder_states (T_enc, d_h), W (d_s, d_h)."""
    scores = torch.einsum("s,sh,th->t", decoder_state, W, encoder_states)
    weights = torch.softmax(scores, dim=-1)
    context = torch.einsum("t,th->h", weights, encoder_states)
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    T_enc, d_h, d_s = 5, 6, 4
    W = torch.randn(d_s, d_h)
    context, weights = general_attention(torch.randn(d_s), torch.randn(T_enc, d_h), W)
    print("weights", weights.tolist(), "sum", weights.sum().item())
    print("context", context.tolist())
