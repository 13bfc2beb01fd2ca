import numpy as np
from keras.layers import LSTM, Dense, Flatten, Input, Multiply, Permute
from keras.models import Model

INPUT_DIM = 2
TIME_STEPS = 20
LSTM_UNITS = 32


def attention_3d_block(inputs):
    # inputs.shape = (batch_size, time_steps, input_dim)
    time_steps = inputs.shape[1]
    a = Permute((2, 1))(inputs)
    a_probs = Dense(time_steps, activation='softmax', name='attention_probs')(a)
    return Multiply(name='attention_mul')([inputs, a_probs])


def model_attention_applied_after_lstm():
    inputs = Input(shape=(TIME_STEPS, INPUT_DIM))
    lstm_out = LSTM(LSTM_UNITS, return_sequences=True)(inputs)
    attention_mul = attention_3d_block(lstm_out)
    attention_mul = Flatten()(attention_mul)
    output = Dense(1, activation='sigmoid')(attention_mul)
    return Model(inputs=inputs, outputs=output)


if __name__ == '__main__':
    x = np.random.standard_normal((64, TIME_STEPS, INPUT_DIM))
    y = np.random.randint(0, 2, (64, 1))
    x[:, 10, :] = y
    m = model_attention_applied_after_lstm()
    m.compile(optimizer='adam', loss='binary_crossentropy')
    m.summary()
    print(m.predict(x, verbose=0).shape)
