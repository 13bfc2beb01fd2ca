"""General attention (Luong et al., 2015) with several heads for a batch, in PyTorch.

Both states are cut into n_heads equal parts, and each head scores its own pair of parts with
its own matrix. With one head it is general attention.
"""

import torch


def multi_head_general_attention(decoder_state, encoder_states, W):
    """Attend with every head, and put the heads' contexts side by side.

    Args:
        decoder_state: (B, d_s) with d_s = n_heads * d_k
        encoder_states: (B, T_enc, d_h) with d_h = n_heads * d_v
        W: (n_heads, d_k, d_v)

    Returns:
        context (B, d_h) and weights (B, n_heads, T_enc)
    """
    n_heads, d_k, d_v = W.shape
    B, T_enc, d_h = encoder_states.shape
    queries = decoder_state.view(B, n_heads, d_k)
    keys = encoder_states.view(B, T_enc, n_heads, d_v).transpose(1, 2)
    projected = torch.einsum("bnk,nkv->bnv", queries, W)
    scores = (keys @ projected.unsqueeze(-1)).squeeze(-1)
    weights = torch.softmax(scores, dim=-1)
    context = (weights.unsqueeze(2) @ keys).squeeze(2)
    return context.reshape(B, d_h), weights


if __name__ == "__main__":
    torch.manual_seed(0)
    B, n_heads, d_k, d_v, T_enc = 7, 2, 3, 4, 5
    d_s, d_h = n_heads * d_k, n_heads * d_v
    decoder_state = torch.randn(B, d_s)
    encoder_states = torch.randn(B, T_enc, d_h)
    W = torch.randn(n_heads, d_k, d_v)
    context, weights = multi_head_general_attention(decoder_state, encoder_states, W)
    print("weights", tuple(weights.shape), "context", tuple(context.shape))
    print("first sequence, head by head:", weights[0].tolist())
