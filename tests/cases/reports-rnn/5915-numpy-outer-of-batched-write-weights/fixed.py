import numpy as np


def sigmoid(x):
    return 1.0 / (1.0 + np.exp(-x))


class KeyValueMemory:
    """Static keys, dynamic values; read and written with the same attention weights."""

    def __init__(self, n_slots, d_key, d_val, seed=0):
        rng = np.random.default_rng(seed)
        self.keys = rng.normal(size=(n_slots, d_key))
        self.init_values = rng.normal(size=(n_slots, d_val)) * 0.1
        self.W_erase = rng.normal(size=(d_val, d_val)) / np.sqrt(d_val)
        self.W_add = rng.normal(size=(d_val, d_val)) / np.sqrt(d_val)

    def reset(self, batch_size):
        return np.repeat(self.init_values[None], batch_size, axis=0)

    def address(self, query):
        z = query @ self.keys.T
        z = np.exp(z - z.max(axis=1, keepdims=True))
        return z / z.sum(axis=1, keepdims=True)

    def read(self, values, w):
        return np.einsum("bn,bnd->bd", w, values)

    def write(self, values, w, x):
        erase = sigmoid(x @ self.W_erase)
        add = np.tanh(x @ self.W_add)
        values = values * (1 - w[:, :, None] * erase[:, None, :])
        return values + w[:, :, None] * add[:, None, :]


def run(memory, queries, updates):
    B, T, _ = queries.shape
    values = memory.reset(B)
    reads = []
    for t in range(T):
        w = memory.address(queries[:, t])
        reads.append(memory.read(values, w))
        values = memory.write(values, w, updates[:, t])
    return np.stack(reads, axis=1)


if __name__ == "__main__":
    rng = np.random.default_rng(1)
    mem = KeyValueMemory(n_slots=20, d_key=16, d_val=24)
    print(run(mem, rng.normal(size=(8, 15, 16)), rng.normal(size=(8, 15, 24))).shape)
