import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, emb_dim, nheads, kvheads):
        super().__init__()
        self.nheads, self.kvheads = nheads, kvheads
        self.emb_kq = emb_dim // nheads
        self.query = nn.Linear(emb_dim, nheads * self.emb_kq, bias=False)
        self.key = nn.Linear(emb_dim, kvheads * self.emb_kq, bias=False)
        self.value = nn.Linear(emb_dim, kvheads * self.emb_kq, bias=False)
        self.dense = nn.Linear(nheads * self.emb_kq, emb_dim, bias=False)

    def empty_cache(self, batch_size):
        cache = torch.empty(batch_size, self.kvheads, 0, self.emb_kq)
        return cache, cache.clone()

    def forward(self, x, cache):
        batch_size, q_len, _ = x.shape
        queries = self.query(x).view(batch_size, q_len, self.nheads, self.emb_kq).transpose(2, 1)
        keys = self.key(x).view(batch_size, q_len, self.kvheads, self.emb_kq).transpose(2, 1)
        values = self.value(x).view(batch_size, q_len, self.kvheads, self.emb_kq).transpose(2, 1)

        keys = torch.cat((cache[0], keys), dim=2)
        values = torch.cat((cache[1], values), dim=2)

        expansion = self.nheads // self.kvheads
        keys_e = keys.repeat_interleave(expansion, dim=1)
        values_e = values.repeat_interleave(expansion, dim=1)
        attn = F.scaled_dot_product_attention(queries, keys_e, values_e, is_causal=q_len > 1)
        attn = attn.transpose(2, 1).reshape(batch_size, q_len, self.nheads * self.emb_kq)
        return self.dense(attn), (keys, values)


def generate(attn, prompt, steps):
    cache = attn.empty_cache(prompt.shape[0])
    out, cache = attn(prompt, cache)
    for _ in range(steps):
        out, cache = attn(out[:, -1:], cache)
    return out, cache


if __name__ == "__main__":
    mha = MultiHeadAttention(64, nheads=8, kvheads=2)
    out, cache = generate(mha, torch.randn(3, 7, 64), 4)
    print(out.shape, cache[0].shape)
