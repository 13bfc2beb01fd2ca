import torch
import torch.nn as nn
import torch.nn.functional as F


class CopyDecoder(nn.Module):
    """One step of a pointer-generator decoder."""

    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.vocab_size = vocab_size
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.cell = nn.LSTMCell(emb_dim + hidden_dim, hidden_dim)
        self.W_h = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_s = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, 1, bias=False)
        self.p_gen = nn.Linear(2 * hidden_dim + emb_dim, 1)
        self.out = nn.Linear(2 * hidden_dim, vocab_size)

    def attention(self, h, enc_out, enc_mask):
        e = self.v(torch.tanh(self.W_h(enc_out) + self.W_s(h).unsqueeze(1))).squeeze(2)
        a = F.softmax(e.masked_fill(enc_mask == 0, -1e9), dim=1)
        return torch.bmm(a.unsqueeze(1), enc_out).squeeze(1), a

    def forward(self, y, state, context, enc_out, enc_mask, src_extended, n_oov):
        emb = self.embedding(y.clamp(max=self.vocab_size - 1))
        h, c = self.cell(torch.cat((emb, context), 1), state)
        context, attn = self.attention(h, enc_out, enc_mask)
        p_gen = torch.sigmoid(self.p_gen(torch.cat((context, h, emb), 1)))      # B x 1
        vocab_dist = p_gen * F.softmax(self.out(torch.cat((h, context), 1)), dim=1)
        copy_dist = enc_out.new_zeros(y.size(0), self.vocab_size + n_oov)
        copy_dist.scatter_add_(1, src_extended, (1 - p_gen) * attn)
        final_dist = F.pad(vocab_dist, (0, n_oov)) + copy_dist
        return final_dist, (h, c), context, attn


if __name__ == "__main__":
    B, T, V, H = 2, 6, 30, 16
    dec = CopyDecoder(V, 12, H)
    src = torch.tensor([[3, 8, 3, 31, 5, 3], [9, 9, 30, 2, 4, 7]])
    state = torch.zeros(B, H), torch.zeros(B, H)
    dist, _, _, _ = dec(torch.ones(B, dtype=torch.long), state, torch.zeros(B, H), torch.randn(B, T, H), torch.ones(B, T), src, n_oov=2)
    print(dist.topk(3))
