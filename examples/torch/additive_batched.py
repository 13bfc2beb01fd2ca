"""Additive attention (Bahdanau et al., 2015) for a batch, one decoder step, in PyTorch."""

import torch
import torch.nn.functional as F


def additive_attention(decoder_state, encoder_states, W_a, U_a, v_a):
    projected_dec = F.linear(decoder_state, W_a).unsqueeze(1)  # (B, 1, d_attn)
    projected_enc = F.linear(encoder_states, U_a)  # (B, T_enc, d_attn)
    scores = torch.tanh(projected_dec + projected_enc) @ v_a  # (B, T_enc)
    weights = F.softmax(scores, dim=-1)
    context = torch.bmm(weights.unsqueeze(1), encoder_states).squeeze(1)  # (B, d_h)
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T_enc, d_h, d_s, d_attn = 2, 5, 6, 4, 3
    context, weights = additive_attention(
        decoder_state=torch.randn(B, d_s),
        encoder_states=torch.randn(B, T_enc, d_h),
        W_a=torch.randn(d_attn, d_s),
        U_a=torch.randn(d_attn, d_h),
        v_a=torch.randn(d_attn),
    )
    print("weights", tuple(weights.shape), "sums", weights.sum(dim=-1).tolist())
    print("context", tuple(context.shape))
