"""Additive attention (Bahdanau et al., 2015) for a batch, one decoder step, in PyTorch."""

import torch
import torch.nn.functional as F


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    projected_dec = F.linear(decoder_state, W_a).unsqueeze(1)
    projected_enc = F.linear(encoder_states, U_a)
    scores = torch.tanh(projected_dec + projected_enc) @ v_a
    weights = F.softmax(scores, dim=-1)
    context = torch.bmm(weights, encoder_states).squeeze(1)
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T_enc, d_h, d_s, d_attn = 2, 5, 6, 4, 3
    decoder_state = torch.randn(B, d_s)
    encoder_states = torch.randn(B, T_enc, d_h)
    W_a, U_a, v_a = torch.randn(d_attn, d_s), torch.randn(d_attn, d_h), torch.randn(d_attn)
    context, weights = additive_attention(decoder_state, encoder_states, W_a, U_a, v_a)
    print("weights", tuple(weights.shape), "context", tuple(context.shape))
