import torch
import torch.nn as nn

PAD = 0


class G2PModel(nn.Module):
    """grapheme to phoneme, plain nn.Transformer"""

    def __init__(self, n_graph, n_phon, dim=128, heads=4, ff=512, depth=3, max_len=50):
        super().__init__()
        self.g_emb = nn.Embedding(n_graph, dim, padding_idx=PAD)
        self.p_emb = nn.Embedding(n_phon, dim, padding_idx=PAD)
        self.pos = nn.Embedding(max_len, dim)
        self.transformer = nn.Transformer(dim, heads, depth, depth, ff)
        self.out = nn.Linear(dim, n_phon)

    def add_pos(self, e):
        idx = torch.arange(e.size(1), device=e.device)
        return e + self.pos(idx)

    def forward(self, graphemes, phonemes):
        # graphemes (N, S), phonemes (N, T)
        src_pad = graphemes.eq(PAD)
        tgt_pad = phonemes.eq(PAD)
        causal = torch.triu(torch.ones(phonemes.size(1), phonemes.size(1), dtype=torch.bool), diagonal=1)
        h = self.transformer(
            self.add_pos(self.g_emb(graphemes)),
            self.add_pos(self.p_emb(phonemes)),
            tgt_mask=causal,
            src_key_padding_mask=src_pad,
            tgt_key_padding_mask=tgt_pad,
            memory_key_padding_mask=src_pad,
        )
        return self.out(h)


if __name__ == "__main__":
    model = G2PModel(30, 42)
    words = torch.randint(1, 30, (64, 14))
    prons = torch.randint(1, 42, (64, 12))
    logits = model(words, prons[:, :-1])
    print(nn.functional.cross_entropy(logits.transpose(1, 2), prons[:, 1:], ignore_index=PAD))
