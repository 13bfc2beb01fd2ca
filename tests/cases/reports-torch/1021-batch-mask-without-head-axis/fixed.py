import math
import torch
import torch.nn as nn


class ScaleDotProductAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, q, k, v, mask=None):
        d_tensor = k.size(-1)
        score = (q @ k.transpose(2, 3)) / math.sqrt(d_tensor)
        if mask is not None:
            score = score.masked_fill(mask == 0, -1e9)
        score = self.softmax(score)
        return score @ v, score


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.attention = ScaleDotProductAttention()
        self.w_q = nn.Linear(d_model, d_model)
        self.w_k = nn.Linear(d_model, d_model)
        self.w_v = nn.Linear(d_model, d_model)
        self.w_concat = nn.Linear(d_model, d_model)

    def split(self, tensor):
        batch_size, length, d_model = tensor.size()
        return tensor.view(batch_size, length, self.n_head, d_model // self.n_head).transpose(1, 2)

    def forward(self, x, mask=None):
        q, k, v = self.split(self.w_q(x)), self.split(self.w_k(x)), self.split(self.w_v(x))
        out, attention = self.attention(q, k, v, mask=mask)
        out = out.transpose(1, 2).flatten(2)
        return self.w_concat(out)


class Classifier(nn.Module):
    def __init__(self, vocab_size, d_model=64, n_head=8, n_class=2, pad_idx=0):
        super().__init__()
        self.pad_idx = pad_idx
        self.emb = nn.Embedding(vocab_size, d_model, padding_idx=pad_idx)
        self.attn = MultiHeadAttention(d_model, n_head)
        self.fc = nn.Linear(d_model, n_class)

    def forward(self, tokens):
        valid = tokens != self.pad_idx                      # (batch, seq_len)
        mask = valid.unsqueeze(1) & valid.unsqueeze(2)      # (batch, seq_len, seq_len)
        h = self.attn(self.emb(tokens), mask.unsqueeze(1))
        return self.fc(h[:, 0])


if __name__ == "__main__":
    model = Classifier(1000)
    print(model(torch.randint(1, 1000, (32, 50))).shape)
