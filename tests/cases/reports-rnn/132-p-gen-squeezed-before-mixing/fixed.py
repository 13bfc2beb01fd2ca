import torch
import torch.nn as nn


class CopyGenerator(nn.Module):
    """p(w) = p_gen * P_vocab(w) + (1 - p_gen) * sum of attention on w"""

    def __init__(self, ctx_dim, hid_dim, emb_dim, vocab):
        super().__init__()
        self.out = nn.Linear(ctx_dim + hid_dim, vocab)
        self.gate = nn.Linear(ctx_dim + hid_dim + emb_dim, 1)

    def forward(self, context, hidden, emb, attn, src_ids):
        """
        context: [B, C]; hidden: [B, H]; emb: [B, E]
        attn: [B, T]; src_ids: [B, T]
        """
        p_vocab = torch.softmax(self.out(torch.cat([context, hidden], 1)), dim=1)
        p_gen = torch.sigmoid(self.gate(torch.cat([context, hidden, emb], 1)))
        p_vocab = p_gen * p_vocab
        p_copy = (1 - p_gen) * attn
        return p_vocab.scatter_add(1, src_ids, p_copy)


if __name__ == "__main__":
    gen = CopyGenerator(8, 6, 4, 30)
    attn = torch.softmax(torch.randn(3, 7), 1)
    dist = gen(torch.randn(3, 8), torch.randn(3, 6), torch.randn(3, 4), attn, torch.randint(0, 30, (3, 7)))
    print(dist.sum(1))
