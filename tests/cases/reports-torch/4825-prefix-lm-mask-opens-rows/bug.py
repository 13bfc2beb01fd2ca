import torch
import torch.nn as nn
import torch.nn.functional as F


def prefix_lm_mask(prefix_len: int, total_len: int, device=None) -> torch.Tensor:
    """True where a query (row) may look at a key (column).

    Everybody sees the whole prefix, the continuation is causal.
    """
    allowed = torch.ones(total_len, total_len, dtype=torch.bool, device=device).tril()
    allowed[:prefix_len] = True
    return allowed


class Block(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.ln1, self.ln2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.qkv, self.o = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.mlp = nn.Sequential(nn.Linear(d, 4 * d), nn.GELU(), nn.Linear(4 * d, d))

    def forward(self, x, allowed):
        q, k, v = self.qkv(self.ln1(x)).chunk(3, dim=-1)
        q, k, v = (t.unflatten(-1, (self.h, -1)).transpose(1, 2) for t in (q, k, v))
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
        x = x + self.o(y.transpose(1, 2).flatten(2))
        return x + self.mlp(self.ln2(x))


class QuestionAnswerLM(nn.Module):
    def __init__(self, vocab, d=64, h=4, depth=2, max_len=256):
        super().__init__()
        self.tok, self.pos = nn.Embedding(vocab, d), nn.Embedding(max_len, d)
        self.blocks = nn.ModuleList(Block(d, h) for _ in range(depth))
        self.lm_head = nn.Linear(d, vocab, bias=False)

    def forward(self, question, answer):
        ids = torch.cat([question, answer], dim=1)
        allowed = prefix_lm_mask(question.size(1), ids.size(1), ids.device)
        x = self.tok(ids) + self.pos.weight[:ids.size(1)]
        for block in self.blocks:
            x = block(x, allowed)
        return self.lm_head(x[:, question.size(1):])
