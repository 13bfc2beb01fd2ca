import torch
from torch import nn

N_LAYERS = 2


class LuongDecoder(nn.Module):
    """Stacked LSTM decoder, attends with the state of the top layer (Luong et al., fig. 2)."""

    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.rnn = nn.LSTM(dim, dim, num_layers=N_LAYERS)
        self.w_a = nn.Linear(dim, dim, bias=False)
        self.w_c = nn.Linear(2 * dim, dim, bias=False)
        self.proj = nn.Linear(dim, vocab)

    def forward(self, tok, state, enc, enc_mask):
        """tok (B,), state 2 x (L, B, D), enc (B, S, D), enc_mask (B, S)"""
        _, (h, c) = self.rnn(self.embed(tok)[None], state)
        top = h[0]
        score = (self.w_a(enc) * top[:, None]).sum(-1)
        score = score.masked_fill(~enc_mask, -1e4)
        a = score.softmax(-1)
        ctx = (a[..., None] * enc).sum(1)
        h_tilde = torch.tanh(self.w_c(torch.cat((ctx, top), -1)))
        return self.proj(h_tilde), (h, c), a


@torch.no_grad()
def greedy(decoder, enc, enc_mask, state, bos=1, steps=10):
    tok = torch.full((enc.size(0),), bos)
    out = []
    for _ in range(steps):
        logits, state, _ = decoder(tok, state, enc, enc_mask)
        tok = logits.argmax(-1)
        out.append(tok)
    return torch.stack(out, 1)


if __name__ == "__main__":
    dec = LuongDecoder(200, 32)
    zeros = torch.zeros(N_LAYERS, 3, 32)
    print(greedy(dec, torch.randn(3, 8, 32), torch.ones(3, 8, dtype=torch.bool), (zeros, zeros)))
