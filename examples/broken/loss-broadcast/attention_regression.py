"""Predict one number for each sequence from an attention-weighted mean of its states, in PyTorch."""

import torch
import torch.nn.functional as F


def attention_regression(encoder_states, W_a, v_a, w_out, target):
    scores = torch.tanh(encoder_states @ W_a.T) @ v_a
    weights = torch.softmax(scores, dim=1)
    context = torch.einsum("bt,bth->bh", weights, encoder_states)
    prediction = context @ w_out
    loss = F.mse_loss(prediction, target)
    return loss, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T_enc, d_h, d_attn = 2, 5, 6, 3
    encoder_states = torch.randn(B, T_enc, d_h)
    W_a, v_a = torch.randn(d_attn, d_h), torch.randn(d_attn)
    w_out = torch.randn(d_h, 1)
    target = torch.randn(B)
    loss, weights = attention_regression(encoder_states, W_a, v_a, w_out, target)
    print("loss", loss.item(), "weights", tuple(weights.shape))
