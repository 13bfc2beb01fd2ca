import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyLM(nn.Module):
    def __init__(self, vocab_size, n_embd=32, n_head=4, block_size=64):
        super().__init__()
        self.tok_emb = nn.Embedding(vocab_size, n_embd)
        self.pos_emb = nn.Embedding(block_size, n_embd)
        self.ln = nn.LayerNorm(n_embd)
        self.attn = nn.MultiheadAttention(n_embd, n_head, batch_first=True)
        self.lm_head = nn.Linear(n_embd, vocab_size)

    def forward(self, idx, targets=None):
        B, T = idx.shape
        x = self.tok_emb(idx) + self.pos_emb(torch.arange(T))
        causal = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
        h = self.ln(x)
        x = x + self.attn(h, h, h, attn_mask=causal, need_weights=False)[0]
        logits = self.lm_head(x)
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.transpose(1, 2), targets)
        return logits, loss


if __name__ == "__main__":
    torch.manual_seed(1337)
    data = torch.randint(0, 65, (4, 9))
    xb, yb = data[:, :-1], data[:, 1:]
    model = TinyLM(65)
    logits, loss = model(xb, yb)
    print(logits.shape, loss.item())
