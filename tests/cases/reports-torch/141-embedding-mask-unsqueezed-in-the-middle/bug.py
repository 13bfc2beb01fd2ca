import torch
import torch.nn as nn
import torch.nn.functional as F


class MaskedEmbedding(nn.Module):
    def __init__(self, num_embeddings, embedding_dim, vocab_start, vocab_end):
        super().__init__()
        self.vocab_start, self.vocab_end = vocab_start, vocab_end
        self.weight = nn.Parameter(torch.empty(vocab_end - vocab_start, embedding_dim))
        nn.init.normal_(self.weight)

    def forward(self, x):
        # x: [batch_size, seq_len]
        mask = (x >= self.vocab_start) & (x < self.vocab_end)
        x = mask * (x - self.vocab_start)
        output = F.embedding(x, self.weight)
        output = mask.unsqueeze(1) * output
        return output


class TinyLM(nn.Module):
    def __init__(self, vocab=64, dim=24, heads=3):
        super().__init__()
        self.embed = MaskedEmbedding(vocab, dim, 0, vocab // 2)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)

    def forward(self, ids):
        h = self.embed(ids)
        out, _ = self.attn(h, h, h)
        return out


if __name__ == "__main__":
    print(TinyLM()(torch.randint(0, 64, (3, 7))).shape)
