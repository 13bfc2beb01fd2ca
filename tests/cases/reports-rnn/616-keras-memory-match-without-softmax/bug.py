import os

os.environ.setdefault("KERAS_BACKEND", "torch")
import numpy as np
from keras import Model, layers


def build_memn2n(vocab_size, story_maxlen, query_maxlen, dim=64):
    story = layers.Input((story_maxlen,), dtype="int32")
    question = layers.Input((query_maxlen,), dtype="int32")

    input_m = layers.Embedding(vocab_size, dim, name="story_m")(story)
    input_m = layers.Dropout(0.3)(input_m)
    # output: (samples, story_maxlen, dim)
    input_c = layers.Embedding(vocab_size, query_maxlen, name="story_c")(story)
    input_c = layers.Dropout(0.3)(input_c)
    # output: (samples, story_maxlen, query_maxlen)
    query = layers.Embedding(vocab_size, dim, name="query")(question)
    query = layers.Dropout(0.3)(query)
    # output: (samples, query_maxlen, dim)

    match = layers.Dot(axes=(2, 2))([input_m, query])
    # output: (samples, story_maxlen, query_maxlen)
    response = layers.Add()([match, input_c])
    response = layers.Permute((2, 1))(response)

    answer = layers.Concatenate()([response, query])
    answer = layers.LSTM(32)(answer)
    answer = layers.Dropout(0.3)(answer)
    answer = layers.Dense(vocab_size, activation="softmax")(answer)
    return Model([story, question], answer), Model([story, question], match)


if __name__ == "__main__":
    model, match = build_memn2n(22, story_maxlen=68, query_maxlen=4)
    stories = np.random.randint(1, 22, (8, 68)).astype("int32")
    queries = np.random.randint(1, 22, (8, 4)).astype("int32")
    print(tuple(model([stories, queries]).shape), tuple(match([stories, queries]).shape))
