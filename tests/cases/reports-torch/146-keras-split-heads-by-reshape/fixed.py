import keras
from keras import layers, ops


class MultiHeadSelfAttention(layers.Layer):
    def __init__(self, embed_dim, num_heads=8, **kwargs):
        super().__init__(**kwargs)
        self.embed_dim = embed_dim
        self.num_heads = num_heads
        if embed_dim % num_heads != 0:
            raise ValueError(f"embedding dimension = {embed_dim} should be divisible by number of heads = {num_heads}")
        self.projection_dim = embed_dim // num_heads
        self.query_dense = layers.Dense(embed_dim)
        self.key_dense = layers.Dense(embed_dim)
        self.value_dense = layers.Dense(embed_dim)
        self.combine_heads = layers.Dense(embed_dim)

    def attention(self, query, key, value):
        score = ops.matmul(query, ops.transpose(key, (0, 1, 3, 2)))
        scaled_score = score / ops.sqrt(ops.cast(self.projection_dim, score.dtype))
        weights = ops.softmax(scaled_score, axis=-1)
        return ops.matmul(weights, value), weights

    def separate_heads(self, x, batch_size):
        return ops.transpose(ops.reshape(x, (batch_size, -1, self.num_heads, self.projection_dim)), (0, 2, 1, 3))

    def call(self, inputs):
        # inputs.shape = [batch_size, seq_len, embedding_dim]
        batch_size = ops.shape(inputs)[0]
        query = self.separate_heads(self.query_dense(inputs), batch_size)
        key = self.separate_heads(self.key_dense(inputs), batch_size)
        value = self.separate_heads(self.value_dense(inputs), batch_size)

        attention, weights = self.attention(query, key, value)
        attention = ops.transpose(attention, (0, 2, 1, 3))
        concat_attention = ops.reshape(attention, (batch_size, -1, self.embed_dim))
        return self.combine_heads(concat_attention)
