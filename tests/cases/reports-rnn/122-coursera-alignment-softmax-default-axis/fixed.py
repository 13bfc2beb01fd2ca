import numpy as np

hidden_size = 16
attention_size = 10
input_length = 5

np.random.seed(42)
encoder_states = np.random.randn(input_length, hidden_size)
decoder_state = np.random.randn(1, hidden_size)
layer_1 = np.random.randn(2 * hidden_size, attention_size)
layer_2 = np.random.randn(attention_size, 1)


def softmax(x, axis=0):
    """axis=0: every column sums to 1; axis=1: every row sums to 1"""
    return np.exp(x) / np.expand_dims(np.sum(np.exp(x), axis=axis), axis)


def alignment(encoder_states, decoder_state):
    # concatenate the decoder state to every encoder state
    inputs = np.concatenate((encoder_states, decoder_state.repeat(input_length, axis=0)), axis=1)
    assert inputs.shape == (input_length, 2 * hidden_size)
    activations = np.tanh(np.matmul(inputs, layer_1))
    scores = np.matmul(activations, layer_2)
    return scores.T


def attention(encoder_states, decoder_state):
    scores = alignment(encoder_states, decoder_state)
    weights = softmax(scores, axis=1)
    context = np.matmul(weights, encoder_states)
    return context[0], weights


context_vector, weights = attention(encoder_states, decoder_state)
print(context_vector.shape)
