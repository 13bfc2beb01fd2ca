import torch
import torch.nn as nn


class EncoderBlock(nn.Module):
    def __init__(self, n_embd, n_head, dropout=0.1):
        super().__init__()
        self.ln_1 = nn.LayerNorm(n_embd)
        self.attn = nn.MultiheadAttention(n_embd, n_head, dropout=dropout, batch_first=True)
        self.ln_2 = nn.LayerNorm(n_embd)
        self.mlp = nn.Sequential(
            nn.Linear(n_embd, 4 * n_embd),
            nn.GELU(),
            nn.Linear(4 * n_embd, n_embd),
            nn.Dropout(dropout),
        )

    def forward(self, x, mask):
        h = self.ln_1(x)
        a, _ = self.attn(h, h, h, key_padding_mask=mask)
        x = x + a
        return x + self.mlp(self.ln_2(x))


class NewsClassifier(nn.Module):
    def __init__(self, vocab_size, n_class, max_len=128, n_embd=96, n_head=6, n_layer=2):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, n_embd, padding_idx=0)
        self.pos_emb = nn.Embedding(max_len, n_embd)
        self.blocks = nn.ModuleList(EncoderBlock(n_embd, n_head) for _ in range(n_layer))
        self.head = nn.Linear(n_embd, n_class)

    def forward(self, ids):
        pad = ids == 0
        x = self.tok_emb(ids) + self.pos_emb(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x, pad)
        n_tokens = (~pad).sum(1, keepdim=True)
        pooled = x.masked_fill(pad.unsqueeze(-1), 0.0).sum(1) / n_tokens
        return self.head(pooled)


if __name__ == "__main__":
    ids = torch.randint(1, 5000, (16, 64))
    ids[3, 40:] = 0
    print(NewsClassifier(5000, 4)(ids).shape)
