import numpy as np

# --- attention basics, encoder hidden states are stacked as columns ---

dec_hidden_state = np.array([5., 1., 20.])
annotation = np.array([3., 12., 45.])
annotations = np.array([[3., 59., 1., 5.],
                        [12., 2., 43., 4.3],
                        [45., 5., 2., 3.]]) / 10


def single_dot_attention_score(dec_hidden_state, enc_hidden_state):
    return np.dot(dec_hidden_state, enc_hidden_state)


def dot_attention_score(dec_hidden_state, annotations):
    # one score per encoder step
    return np.matmul(dec_hidden_state, annotations)


def softmax(x):
    x = np.array(x, dtype=np.float64)
    e_x = np.exp(x - x.max())
    return e_x / e_x.sum(axis=0)


def apply_attention_scores(attention_weights, annotations):
    return attention_weights * annotations


def calculate_attention_vector(applied_attention):
    return np.sum(applied_attention, axis=0)


def attend(dec_hidden_state, annotations):
    scores = dot_attention_score(dec_hidden_state, annotations)
    weights = softmax(scores)
    applied = apply_attention_scores(weights, annotations)
    return calculate_attention_vector(applied)


if __name__ == "__main__":
    print(single_dot_attention_score(dec_hidden_state, annotation))
    print(attend(dec_hidden_state, annotations))
