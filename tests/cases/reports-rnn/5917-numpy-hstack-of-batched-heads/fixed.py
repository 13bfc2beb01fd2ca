import numpy as np


def gelu(x):
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

def softmax(x):
    exp_x = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return exp_x / np.sum(exp_x, axis=-1, keepdims=True)

def layer_norm(x, g, b, eps=1e-5):
    mean = np.mean(x, axis=-1, keepdims=True)
    variance = np.var(x, axis=-1, keepdims=True)
    return g * (x - mean) / np.sqrt(variance + eps) + b

def linear(x, w, b):  # [B, T, in], [in, out], [out] -> [B, T, out]
    return x @ w + b

def attention(q, k, v, mask):
    return softmax(q @ np.swapaxes(k, -1, -2) / np.sqrt(q.shape[-1]) + mask) @ v

def mha(x, c_attn, c_proj, n_head):
    qkv = np.split(linear(x, **c_attn), 3, axis=-1)
    q_heads, k_heads, v_heads = [np.split(z, n_head, axis=-1) for z in qkv]
    causal = (1 - np.tri(x.shape[1], dtype=x.dtype)) * -1e10
    heads = [attention(q, k, v, causal) for q, k, v in zip(q_heads, k_heads, v_heads)]
    merged = np.concatenate(heads, axis=-1)
    return linear(merged, **c_proj)

def block(x, mlp_up, mlp_down, attn, ln_1, ln_2, n_head):
    x = x + mha(layer_norm(x, **ln_1), **attn, n_head=n_head)
    return x + linear(gelu(linear(layer_norm(x, **ln_2), **mlp_up)), **mlp_down)


def random_block(rng, d):
    lin = lambda i, o: {"w": rng.normal(size=(i, o)) * 0.02, "b": np.zeros(o)}
    ln = lambda: {"g": np.ones(d), "b": np.zeros(d)}
    return dict(mlp_up=lin(d, 4 * d), mlp_down=lin(4 * d, d), ln_1=ln(), ln_2=ln(),
                attn={"c_attn": lin(d, 3 * d), "c_proj": lin(d, d)})

if __name__ == "__main__":
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 10, 48))
    print(block(x, **random_block(rng, 48), n_head=4).shape)
