import torch
import torch.nn as nn
import torch.nn.functional as F

PAD = 0


class GlobalAttention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.linear_in = nn.Linear(dim, dim, bias=False)
        self.linear_out = nn.Linear(dim * 2, dim, bias=False)
        self.mask = None

    def apply_mask(self, mask):
        self.mask = mask

    def forward(self, input, context):
        # input: batch x dim, context: batch x sourceL x dim
        attn = torch.bmm(context, self.linear_in(input).unsqueeze(2)).squeeze(2)
        if self.mask is not None:
            attn = attn.masked_fill(self.mask, -float("inf"))
        attn = F.softmax(attn, dim=1)
        weighted = torch.bmm(attn.unsqueeze(1), context).squeeze(1)
        return torch.tanh(self.linear_out(torch.cat((weighted, input), 1))), attn


class NMT(nn.Module):
    def __init__(self, n_src, n_tgt, dim):
        super().__init__()
        self.src_emb, self.tgt_emb = nn.Embedding(n_src, dim, padding_idx=PAD), nn.Embedding(n_tgt, dim, padding_idx=PAD)
        self.encoder = nn.GRU(dim, dim, batch_first=True)
        self.decoder = nn.GRUCell(dim, dim)
        self.attn = GlobalAttention(dim)
        self.generator = nn.Linear(dim, n_tgt)

    def translate_batch(self, src, beam_size, max_len, bos=1):
        context, hidden = self.encoder(self.src_emb(src))
        batch_size = src.size(0)
        # rows are beam-major: all sentences of beam 0, then of beam 1, ...
        context = context.repeat(beam_size, 1, 1)
        state = hidden[0].repeat(beam_size, 1)
        pad_mask = src.eq(PAD)
        self.attn.apply_mask(pad_mask)
        word = torch.full((beam_size * batch_size,), bos, dtype=torch.long)
        log_probs = []
        for _ in range(max_len):
            state = self.decoder(self.tgt_emb(word), state)
            out, attn = self.attn(state, context)
            scores = F.log_softmax(self.generator(out), dim=1)
            log_probs.append(scores.view(beam_size, batch_size, -1))
            word = torch.multinomial(scores.exp(), 1).squeeze(1)
        self.attn.apply_mask(None)
        return torch.stack(log_probs, 2)                    # beam x batch x steps x n_tgt


if __name__ == "__main__":
    src = torch.tensor([[5, 8, 3, 9], [7, 2, 0, 0], [4, 4, 6, 0]])
    print(NMT(10, 12, 16).translate_batch(src, beam_size=5, max_len=4).shape)
