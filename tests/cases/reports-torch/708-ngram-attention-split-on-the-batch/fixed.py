import torch
import torch.nn as nn


class NgramDecoderLayer(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(dim, heads)
        self.cross_attn = nn.MultiheadAttention(dim, heads)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)

    def forward(self, x, memory, self_attn_mask):
        y, _ = self.self_attn(x, x, x, attn_mask=self_attn_mask, need_weights=False)
        x = self.norm1(x + y)
        y, attn = self.cross_attn(x, memory, memory)
        return self.norm2(x + y), attn


class NgramDecoder(nn.Module):
    """The main stream and `ngram` predicting streams are joined along time."""

    def __init__(self, vocab, dim=32, heads=4, ngram=2, layers=2):
        super().__init__()
        self.ngram = ngram
        self.embed = nn.Embedding(vocab, dim)
        self.stream = nn.Embedding(1 + ngram, dim)
        self.layers = nn.ModuleList(NgramDecoderLayer(dim, heads) for _ in range(layers))
        self.out = nn.Linear(dim, vocab)

    def forward(self, tokens, memory):
        B, T = tokens.shape
        x = self.embed(tokens).transpose(0, 1)                                  # T, B, C
        x = torch.cat([x + self.stream.weight[i] for i in range(1 + self.ngram)], dim=0)
        future = torch.ones(T, T, dtype=torch.bool).triu(1)
        mask = future.repeat(1 + self.ngram, 1 + self.ngram)
        for layer in self.layers:
            x, attn = layer(x, memory, mask)
        # [(1+ngram)*T, B, C] -> [B, (1+ngram)*T, C]
        x_list = x.transpose(0, 1).chunk(1 + self.ngram, 1)
        attn_list = attn.chunk(1 + self.ngram, 1)
        return [self.out(h) for h in x_list], attn_list


if __name__ == "__main__":
    decoder = NgramDecoder(50)
    logits, attn = decoder(torch.randint(0, 50, (3, 6)), torch.randn(9, 3, 32))
    print(len(logits), logits[0].shape, len(attn))
