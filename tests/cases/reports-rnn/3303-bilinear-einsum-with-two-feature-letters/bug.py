import torch
import torch.nn as nn


class GeneralAttention(nn.Module):
    def __init__(self, enc_dim, dec_dim):
        super().__init__()
        self.W = nn.Linear(enc_dim, dec_dim, bias=False)

    def forward(self, dec_state, enc_states, src_len):
        keys = self.W(enc_states)
        scores = torch.einsum("bth,bd->bt", keys, dec_state)
        steps = torch.arange(enc_states.size(1), device=src_len.device)
        scores = scores.masked_fill(steps[None, :] >= src_len[:, None], -1e9)
        attn = scores.softmax(dim=-1)
        return torch.einsum("bt,bte->be", attn, enc_states), attn


class Decoder(nn.Module):
    def __init__(self, n_vocab, emb_dim, enc_dim, dec_dim):
        super().__init__()
        self.embedding = nn.Embedding(n_vocab, emb_dim)
        self.cell = nn.GRUCell(emb_dim, dec_dim)
        self.attention = GeneralAttention(enc_dim, dec_dim)
        self.combine = nn.Linear(enc_dim + dec_dim, dec_dim)
        self.out = nn.Linear(dec_dim, n_vocab)

    def forward(self, targets, state, enc_states, src_len):
        logits, maps = [], []
        for y in targets.t():
            state = self.cell(self.embedding(y), state)
            context, attn = self.attention(state, enc_states, src_len)
            mixed = torch.tanh(self.combine(torch.cat([context, state], dim=-1)))
            logits.append(self.out(mixed))
            maps.append(attn)
        return torch.stack(logits, dim=1), torch.stack(maps, dim=1)


if __name__ == "__main__":
    dec = Decoder(n_vocab=1000, emb_dim=64, enc_dim=256, dec_dim=128)
    targets = torch.randint(0, 1000, (8, 11))
    logits, maps = dec(targets, torch.zeros(8, 128), torch.randn(8, 17, 256), torch.randint(5, 18, (8,)))
    print(logits.shape, maps.shape)
