"""The formulas of attention written as loops over single numbers.

The examples are compared with these. They use no matrix product, no broadcasting and no softmax
of a library, so that they cannot share a mistake with the code that they judge.
"""

import math

import numpy as np


def inner(a, b):
    assert len(a) == len(b)
    return sum(float(x) * float(y) for x, y in zip(a, b, strict=True))


def rows_times(matrix, vector):
    return [inner(row, vector) for row in matrix]


def columns_times(matrix, vector):
    return [inner([row[j] for row in matrix], vector) for j in range(len(matrix[0]))]


def softmax(scores):
    shares = [math.exp(score) for score in scores]
    return [share / sum(shares) for share in shares]


def attend(scores, values):
    """The weighted sum of the values, and the weights."""
    weights = softmax(scores)
    context = [
        sum(w * float(v[j]) for w, v in zip(weights, values, strict=True))
        for j in range(len(values[0]))
    ]
    return np.array(context), np.array(weights)


def additive(decoder_state, encoder_states, W_a, U_a, v_a):
    query = rows_times(W_a, decoder_state)
    scores = []
    for state in encoder_states:
        key = rows_times(U_a, state)
        scores.append(inner(v_a, [math.tanh(q + k) for q, k in zip(query, key, strict=True)]))
    return attend(scores, encoder_states)


def padded_additive(decoder_state, encoder_states, W_a, U_a, v_a):
    """Additive attention over the states before the first row of zeros."""
    length = next(i for i, state in enumerate(encoder_states) if not state.any())
    context, weights = additive(decoder_state, encoder_states[:length], W_a, U_a, v_a)
    return context, np.array([*weights, *[0.0] * (len(encoder_states) - length)])


def dot(decoder_state, encoder_states):
    return attend([inner(decoder_state, state) for state in encoder_states], encoder_states)


def general(decoder_state, encoder_states, W):
    return attend(
        [inner(decoder_state, rows_times(W, state)) for state in encoder_states], encoder_states
    )


def concat(decoder_state, encoder_states, W_a, v_a):
    scores = []
    for state in encoder_states:
        hidden = rows_times(W_a, [*decoder_state, *state])
        scores.append(inner(v_a, [math.tanh(h) for h in hidden]))
    return attend(scores, encoder_states)


def masked_general(decoder_state, encoder_states, lengths, W):
    """General attention over the first `lengths` states of one sequence."""
    context, weights = general(decoder_state, encoder_states[:lengths], W)
    return context, np.array([*weights, *[0.0] * (len(encoder_states) - lengths)])


def all_steps_general(decoder_states, encoder_states, W):
    return stacked([general(state, encoder_states, W) for state in decoder_states])


def multi_head_general(decoder_state, encoder_states, W):
    n_heads, d_k, d_v = W.shape
    contexts, weights = [], []
    for n in range(n_heads):
        context, alpha = general(
            decoder_state[n * d_k : (n + 1) * d_k], encoder_states[:, n * d_v : (n + 1) * d_v], W[n]
        )
        contexts.extend(context)
        weights.append(alpha)
    return np.array(contexts), np.array(weights)


def scaled_dot_product(query, key, value, mask=None):
    outputs = []
    kept = [j for j in range(len(key)) if mask is None or mask[j]]
    for q in query:
        output, some = attend(
            [inner(q, key[j]) / math.sqrt(len(q)) for j in kept], [value[j] for j in kept]
        )
        weights = np.zeros(len(key))
        weights[kept] = some
        outputs.append((output, weights))
    return stacked(outputs)


def last_state(encoder_states):
    """The last state over all of them."""
    return dot(encoder_states[-1], encoder_states)


def luong_step(y_prev, s_prev, encoder_states, W_s, W_y):
    """The next state, which is what attends."""
    pairs = zip(rows_times(W_s, s_prev), rows_times(W_y, y_prev), strict=True)
    s_t = np.array([math.tanh(old + new) for old, new in pairs])
    return s_t, *dot(s_t, encoder_states)


def positioned_self_attention(x, position_table):
    """Each position, with its own row of the table, over all of them."""
    states = [row + place for row, place in zip(x, position_table, strict=False)]
    return scaled_dot_product(states, states, states)


def causal_self_attention(query, key, value):
    """Each position over itself and what is before it."""
    outputs = []
    for i in range(len(query)):
        seen = [j <= i for j in range(len(key))]
        output, weights = scaled_dot_product(query[i : i + 1], key, value, seen)
        outputs.append((output[0], weights[0]))
    return stacked(outputs)


def head_scaled_dot_product(query, key, value, mask=None):
    return stacked(
        [scaled_dot_product(q, k, v, mask) for q, k, v in zip(query, key, value, strict=True)]
    )


def multi_head_self_attention(x, W_q, W_k, W_v, W_o, n_heads):
    """One sequence; head n owns the columns n*d_k to (n+1)*d_k of each projection."""
    queries, keys, values = ([columns_times(W, row) for row in x] for W in (W_q, W_k, W_v))
    d_k = len(queries[0]) // n_heads
    merged, weights = [[] for _ in x], []
    for n in range(n_heads):
        own = slice(n * d_k, (n + 1) * d_k)
        output, alpha = scaled_dot_product(
            *([row[own] for row in rows] for rows in (queries, keys, values))
        )
        weights.append(alpha)
        for row, part in zip(merged, output, strict=True):
            row.extend(part)
    return np.array([columns_times(W_o, row) for row in merged]), np.array(weights)


def regression(encoder_states, W_a, v_a, w_out, target):
    """The mean squared error over a batch, and the weights."""
    errors, weights = [], []
    for states, wanted in zip(encoder_states, target, strict=True):
        scores = [inner(v_a, [math.tanh(h) for h in rows_times(W_a, state)]) for state in states]
        context, alpha = attend(scores, states)
        errors.append((inner(context, w_out[:, 0]) - wanted) ** 2)
        weights.append(alpha)
    return np.array(sum(errors) / len(errors)), np.array(weights)


def stacked(results):
    contexts, weights = zip(*results, strict=True)
    return np.array(contexts), np.array(weights)


def over_batch(formula, batched, **shared):
    """Apply a formula for one sequence to each sequence of a batch."""
    count = len(next(iter(batched.values())))
    return stacked(
        [
            formula(**{name: value[b] for name, value in batched.items()}, **shared)
            for b in range(count)
        ]
    )
