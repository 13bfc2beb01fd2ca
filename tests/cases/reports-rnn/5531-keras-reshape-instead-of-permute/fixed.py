import numpy as np
import keras
from keras import layers

TIME_STEPS = 12
INPUT_DIM = 5
LSTM_UNITS = 16


def attention_3d_block(inputs):
    # inputs.shape = (batch_size, time_steps, input_dim)
    a = layers.Permute((2, 1))(inputs)
    a = layers.Dense(TIME_STEPS, activation="softmax")(a)
    a_probs = layers.Permute((2, 1), name="attention_vec")(a)
    return layers.Multiply()([inputs, a_probs])


def model_attention_applied_before_lstm():
    inputs = keras.Input(shape=(TIME_STEPS, INPUT_DIM))
    attention_mul = attention_3d_block(inputs)
    lstm_out = layers.LSTM(LSTM_UNITS, return_sequences=False)(attention_mul)
    output = layers.Dense(1, activation="sigmoid")(lstm_out)
    return keras.Model(inputs=[inputs], outputs=output)


if __name__ == "__main__":
    m = model_attention_applied_before_lstm()
    m.compile(optimizer="adam", loss="binary_crossentropy")
    x = np.random.standard_normal((8, TIME_STEPS, INPUT_DIM)).astype("float32")
    print(m.predict(x, verbose=0).shape)
