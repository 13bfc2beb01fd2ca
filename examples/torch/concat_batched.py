"""Concat attention (the additive form of Luong et al., 2015) for a batch, in PyTorch."""

import torch
import torch.nn.functional as F


def concat_attention(decoder_state, encoder_states, W_a, v_a):
    """Attend over the encoder states.

    Args:
        decoder_state: (B, d_s)
        encoder_states: (B, T_enc, d_h)
        W_a: (d_attn, d_s + d_h)
        v_a: (d_attn,)
    """
    T_enc = encoder_states.shape[1]
    repeated = decoder_state[:, None, :].repeat(1, T_enc, 1)  # (B, T_enc, d_s)
    pairs = torch.cat((repeated, encoder_states), dim=2)  # (B, T_enc, d_s + d_h)
    energy = torch.tanh(F.linear(pairs, W_a))  # (B, T_enc, d_attn)
    scores = energy.matmul(v_a)  # (B, T_enc)
    weights = F.softmax(scores, dim=1)
    context = torch.einsum("bt,bth->bh", weights, encoder_states)
    return context, weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, T_enc, d_h, d_s, d_attn = 2, 5, 6, 4, 3
    decoder_state = torch.randn(B, d_s)
    encoder_states = torch.randn(B, T_enc, d_h)
    W_a = torch.randn(d_attn, d_s + d_h)
    v_a = torch.randn(d_attn)
    context, weights = concat_attention(decoder_state, encoder_states, W_a, v_a)
    print("weights", tuple(weights.shape), "sums", weights.sum(dim=1).tolist())
    print("context", tuple(context.shape))
