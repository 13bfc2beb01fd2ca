"""General attention, W maps encoder states to the decoder's space."""

import numpy as np


def general_attention(decoder_state, encoder_states, W):
    keys = encoder_states @ W.T  # (T_enc, d_s)
    scores = keys @ decoder_state  # (T_enc,)
    scores -= scores.max()
    weights = np.exp(scores) / np.exp(scores).sum()
    context = np.sum(weights[:, None] * encoder_states, axis=0)  # (d_h,)
    return context, weights


def main():
    T_enc, d_h, d_s = 6, 5, 3
    rng = np.random.default_rng(0)
    encoder_states = rng.standard_normal((T_enc, d_h))
    W = rng.standard_normal((d_s, d_h))
    context, weights = general_attention(rng.standard_normal(d_s), encoder_states, W)
    print(context, weights)


if __name__ == "__main__":
    main()
