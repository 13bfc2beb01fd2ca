import keras
import numpy as np
from keras import layers


def build_matcher(question_len, passage_len, features, d_key=16, d_value=24):
    """Question words attend over the passage."""
    question = keras.Input((question_len, features), name="question")
    passage = keras.Input((passage_len, features), name="passage")

    q = layers.Conv1D(d_key, 1, name="to_query")(question)
    k = layers.Conv1D(d_key, 1, name="to_key")(passage)
    v = layers.Conv1D(d_value, 1, name="to_value")(passage)

    attended = layers.Attention()([q, k, v])
    pooled = layers.GlobalAveragePooling1D()(attended)
    score = layers.Dense(1, activation="sigmoid")(pooled)
    return keras.Model([question, passage], score)


if __name__ == "__main__":
    model = build_matcher(6, 11, 8)
    a, b = np.random.randn(3, 6, 8), np.random.randn(3, 11, 8)
    print(model([a, b]).shape)
