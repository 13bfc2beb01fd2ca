"""Additive attention (Bahdanau et al., 2015) for a batch, one decoder step, in PyTorch."""

import torch
import torch.nn.functional as F


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    projected_dec = F.linear(decoder_state, W_a).unsqueeze(1)
    projected_enc = F.linear(encoder_states, U_a)
    scores = torch.tanh(projected_dec + projected_enc) @ v_a
    weights = F.softmax(scores, dim=-1)
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze()
    return context, weights
