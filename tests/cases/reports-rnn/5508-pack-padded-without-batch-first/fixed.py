import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class Encoder(nn.Module):
    def __init__(self, n_tokens, d_emb, d_hid):
        super().__init__()
        self.embed = nn.Embedding(n_tokens, d_emb, padding_idx=0)
        self.gru = nn.GRU(d_emb, d_hid, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d_hid, d_hid)

    def forward(self, src, src_lens):
        emb = self.embed(src)
        packed = pack_padded_sequence(emb, src_lens, batch_first=True)
        packed, h = self.gru(packed)
        out, _ = pad_packed_sequence(packed, batch_first=True)
        return out, torch.tanh(self.bridge(torch.cat([h[0], h[1]], dim=1)))


class Attention(nn.Module):
    def __init__(self, d_enc, d_dec):
        super().__init__()
        self.W = nn.Linear(d_enc, d_dec, bias=False)

    def forward(self, s, memory, lens):
        e = torch.einsum("bd,btd->bt", s, self.W(memory))
        pad = torch.arange(memory.size(1))[None, :] >= lens[:, None]
        a = e.masked_fill(pad, float("-inf")).softmax(dim=-1)
        return torch.einsum("bt,btd->bd", a, memory), a
