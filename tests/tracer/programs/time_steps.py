# At least 6 places are known.
# ruff: noqa
"""A decoder in torch, step by step over the target, with everything stacked at the end."""

import torch


def decode(states, start, W, U, v, steps):
    B, T_enc, d_h = states.shape
    state = start
    projected = states @ U
    contexts, all_weights = [], []
    for t in range(steps):
        scores = torch.tanh(projected + (state @ W).unsqueeze(1)) @ v
        weights = scores.softmax(dim=-1)
        context = torch.bmm(weights.unsqueeze(1), states).squeeze(1)
        state = torch.tanh(state + context)
        contexts.append(context)
        all_weights.append(weights)
    return torch.stack(contexts, dim=1), torch.stack(all_weights, dim=1), state


states, start = torch.ones(2, 5, 6), torch.ones(2, 6)
contexts, weights, state = decode(
    states, start, torch.ones(6, 3), torch.ones(6, 3), torch.ones(3), steps=7
)
