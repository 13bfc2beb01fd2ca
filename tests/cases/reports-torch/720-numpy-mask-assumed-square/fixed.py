import numpy as np

MASK_VALUE = -1e9


def scaled_dot_product_attention(Q, K, V, mask=None):
    scores = np.matmul(Q, np.swapaxes(K, -2, -1)) / np.sqrt(Q.shape[-1])
    if mask is not None:
        scores = scores + (1.0 - mask) * MASK_VALUE
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return np.matmul(weights, V), weights


class MultiHeadAttention:
    def __init__(self, embed_dim, num_heads, seed=0):
        rng = np.random.default_rng(seed)
        self.num_heads = num_heads
        self.head_dim = embed_dim // num_heads
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            rng.normal(scale=embed_dim ** -0.5, size=(embed_dim, embed_dim)) for _ in range(4))

    def _split_heads(self, x):
        batch_size, seq_len, _ = x.shape
        return x.reshape(batch_size, seq_len, self.num_heads, self.head_dim).transpose(0, 2, 1, 3)

    def forward(self, x, context=None, mask=None):
        context = x if context is None else context
        Q = self._split_heads(x @ self.q_proj)
        K = self._split_heads(context @ self.k_proj)
        V = self._split_heads(context @ self.v_proj)
        if mask is not None and mask.ndim == 3:
            batch_size_mask, seq_len_mask, _ = mask.shape
            mask = mask.reshape(batch_size_mask, 1, seq_len_mask, mask.shape[2])
        attended, _ = scaled_dot_product_attention(Q, K, V, mask)
        attended = attended.transpose(0, 2, 1, 3)
        return attended.reshape(x.shape[0], x.shape[1], -1) @ self.out_proj


if __name__ == "__main__":
    mha = MultiHeadAttention(32, 4)
    decoder_states = np.random.randn(2, 5, 32)
    encoder_states = np.random.randn(2, 8, 32)
    lengths = np.array([8, 6])
    mask = np.broadcast_to(np.arange(8) < lengths[:, None, None], (2, 5, 8)).astype(float)
    print(mha.forward(decoder_states, encoder_states, mask).shape)
