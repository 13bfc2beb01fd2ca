"""Dot-product attention (Luong et al., 2015) for one decoder step, in PyTorch."""

import torch


def dot_attention(decoder_state, encoder_states):
    assert decoder_state.size(0) == encoder_states.size(1)
    scores = torch.mv(encoder_states, decoder_state)
    weights = scores.softmax(dim=0)
    context = torch.mv(encoder_states.t(), weights)
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    T_enc, d_h = 5, 6
    context, weights = dot_attention(torch.randn(d_h), torch.randn(T_enc, d_h))
    print("weights", weights.tolist(), "sum", weights.sum().item())
    print("context", context.tolist())
