import os

os.environ.setdefault("KERAS_BACKEND", "torch")
import numpy as np
from keras import Model, layers, ops


def attention_many_to_one(hidden_states):
    """Luong attention of the last step over all steps; returns one vector per sequence."""
    hidden_size = int(hidden_states.shape[2])
    # (batch, steps, hidden) dot (hidden, hidden) -> (batch, steps, hidden)
    score_first_part = layers.Dense(hidden_size, use_bias=False, name="attention_score_vec")(hidden_states)
    h_t = layers.Lambda(lambda x: x[:, -1, :], output_shape=(hidden_size,), name="last_hidden_state")(hidden_states)
    h_t_column = layers.Reshape((hidden_size, 1))(h_t)
    score = layers.Lambda(lambda x: ops.matmul(x[0], x[1]), name="attention_score")([score_first_part, h_t_column])
    attention_weights = layers.Softmax(axis=1, name="attention_weight")(score)
    # (batch, steps, hidden) weighted by (batch, steps, 1)
    context_vector = layers.Lambda(lambda x: ops.sum(x[0] * x[1], axis=1), name="context_vector")([hidden_states, attention_weights])
    pre_activation = layers.Concatenate(name="attention_output")([context_vector, h_t])
    return layers.Dense(128, use_bias=False, activation="tanh", name="attention_vector")(pre_activation)


def build_model(time_steps, input_dim):
    x = layers.Input((time_steps, input_dim))
    states = layers.LSTM(32, return_sequences=True)(x)
    vector = attention_many_to_one(states)
    return Model(x, layers.Dense(1, activation="sigmoid")(vector))


if __name__ == "__main__":
    model = build_model(time_steps=20, input_dim=2)
    print(model(np.random.rand(8, 20, 2).astype("float32")).shape)
