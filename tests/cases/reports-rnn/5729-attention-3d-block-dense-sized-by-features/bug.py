from keras.layers import LSTM, Dense, Input, Lambda, Multiply, Permute, RepeatVector, Flatten
from keras.models import Model
from keras import ops

TIME_STEPS = 20
INPUT_DIM = 6
LSTM_UNITS = 32
SINGLE_ATTENTION_VECTOR = False


def attention_3d_block(inputs):
    # inputs: (batch, time_steps, input_dim)
    input_dim = int(inputs.shape[2])
    a = Permute((2, 1))(inputs)
    a = Dense(input_dim, activation="softmax")(a)
    if SINGLE_ATTENTION_VECTOR:
        a = Lambda(lambda x: ops.mean(x, axis=1), name="dim_reduction")(a)
        a = RepeatVector(input_dim)(a)
    a_probs = Permute((2, 1), name="attention_vec")(a)
    return Multiply(name="attention_mul")([inputs, a_probs])


def model_attention_applied_before_lstm():
    inputs = Input(shape=(TIME_STEPS, INPUT_DIM))
    attention_mul = attention_3d_block(inputs)
    attention_mul = LSTM(LSTM_UNITS, return_sequences=False)(attention_mul)
    output = Dense(1, activation="sigmoid")(attention_mul)
    return Model(inputs=[inputs], outputs=output)


def model_attention_applied_after_lstm():
    inputs = Input(shape=(TIME_STEPS, INPUT_DIM))
    lstm_out = LSTM(LSTM_UNITS, return_sequences=True)(inputs)
    attention_mul = Flatten()(attention_3d_block(lstm_out))
    output = Dense(1, activation="sigmoid")(attention_mul)
    return Model(inputs=[inputs], outputs=output)


if __name__ == "__main__":
    m = model_attention_applied_before_lstm()
    m.compile(optimizer="adam", loss="binary_crossentropy")
    print(m.output_shape)
