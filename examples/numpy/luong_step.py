"""One step of a decoder that attends with its new state (Luong et al., 2015), with NumPy."""

import numpy as np


def softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def decoder_step(y_prev, s_prev, encoder_states, W_s, W_y):
    """Update the state, then score the encoder states with it.

    Args:
        y_prev: the embedding of the last output, (d_y,)
        s_prev: the decoder state before the step, (d_h,)
        encoder_states: (T_enc, d_h)
        W_s: (d_h, d_h)
        W_y: (d_h, d_y)

    Returns:
        The decoder state after the step (d_h,), the context (d_h,) and the weights (T_enc,).
    """
    s_t = np.tanh(W_s @ s_prev + W_y @ y_prev)
    scores = encoder_states @ s_t
    weights = softmax(scores)
    context = weights @ encoder_states
    return s_t, context, weights


if __name__ == "__main__":
    T_enc, d_h, d_y = 5, 6, 4
    rng = np.random.default_rng(0)
    s_t, context, weights = decoder_step(
        y_prev=rng.standard_normal(d_y),
        s_prev=rng.standard_normal(d_h),
        encoder_states=rng.standard_normal((T_enc, d_h)),
        W_s=rng.standard_normal((d_h, d_h)),
        W_y=rng.standard_normal((d_h, d_y)),
    )
    print("weights", weights.round(3), "sum", weights.sum().round(6))
    print("decoder state", s_t.shape, "context", context.shape)
