import torch
import torch.nn as nn
import torch.nn.functional as F


class Attention(nn.Module):
    def __init__(self, hidden_dim):
        super(Attention, self).__init__()
        self.enc_proj = nn.Linear(2 * hidden_dim, 2 * hidden_dim, bias=False)
        self.dec_proj = nn.Linear(2 * hidden_dim, 2 * hidden_dim)
        self.v = nn.Linear(2 * hidden_dim, 1, bias=False)

    def forward(self, s_hat, enc_out, enc_mask):
        e = self.v(torch.tanh(self.enc_proj(enc_out) + self.dec_proj(s_hat).unsqueeze(1))).squeeze(2)
        a = F.softmax(e.masked_fill(enc_mask == 0, -1e9), dim=1)
        return torch.bmm(a.unsqueeze(1), enc_out).squeeze(1), a


class PointerDecoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super(PointerDecoder, self).__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.lstm = nn.LSTMCell(emb_dim, hidden_dim)
        self.attention = Attention(hidden_dim)
        self.p_gen_linear = nn.Linear(hidden_dim * 4 + emb_dim, 1)
        self.out = nn.Linear(hidden_dim * 3, vocab_size)

    def forward(self, y_prev, state, enc_out, enc_mask, enc_ids, extra_zeros):
        x = self.embedding(y_prev)
        h, c = self.lstm(x, state)
        s_hat = torch.cat((h, c), 1)
        c_t, attn = self.attention(s_hat, enc_out, enc_mask)

        p_gen = torch.sigmoid(self.p_gen_linear(torch.cat((c_t, s_hat, x), 1)))
        vocab_dist = F.softmax(self.out(torch.cat((h, c_t), 1)), dim=1)
        vocab_dist = torch.cat([p_gen * vocab_dist, extra_zeros], 1)
        final_dist = vocab_dist.scatter_add(1, enc_ids, (1 - p_gen) * attn)
        return final_dist, (h, c), attn


if __name__ == "__main__":
    B, T, V = 4, 9, 50
    dec = PointerDecoder(V, 12, 16)
    state = (torch.zeros(B, 16), torch.zeros(B, 16))
    ids = torch.randint(0, V + 3, (B, T))
    dist, state, attn = dec(torch.ones(B, dtype=torch.long), state, torch.randn(B, T, 32), torch.ones(B, T), ids, torch.zeros(B, 3))
    print(dist.shape, dist.sum(1))
