import torch
import torch.nn as nn


def left_pad(prompts, pad_id=0):
    width = max(map(len, prompts))
    ids = torch.full((len(prompts), width), pad_id)
    for row, p in zip(ids, prompts):
        row[width - len(p):] = torch.tensor(p)
    return ids


class CausalLM(nn.Module):
    def __init__(self, vocab, dim=64, heads=4, max_len=128, pad_id=0):
        super().__init__()
        self.heads, self.pad_id = heads, pad_id
        self.wte = nn.Embedding(vocab, dim, padding_idx=pad_id)
        self.wpe = nn.Embedding(max_len, dim)
        self.ln = nn.LayerNorm(dim)
        self.attn = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.ln_f = nn.LayerNorm(dim)

    def build_mask(self, ids):
        t = ids.size(1)
        pad = ids.eq(self.pad_id)
        causal = torch.ones(t, t, dtype=torch.bool, device=ids.device).tril()
        return causal & pad[:, None, None, :]

    def forward(self, ids):
        b, t = ids.shape
        pos = (ids.ne(self.pad_id).cumsum(-1) - 1).clamp(min=0)
        x = self.wte(ids) + self.wpe(pos)
        q, k, v = self.attn(self.ln(x)).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        att = q @ k.mT * q.size(-1) ** -0.5
        att = att.masked_fill(~self.build_mask(ids), torch.finfo(att.dtype).min).softmax(-1)
        x = x + self.proj((att @ v).transpose(1, 2).reshape(b, t, -1))
        return self.ln_f(x) @ self.wte.weight.t()


if __name__ == "__main__":
    lm = CausalLM(50)
    print(lm(left_pad([[4, 9, 2, 7], [3, 8]])).argmax(-1)[:, -1])
