"""A GRU encoder-decoder with additive attention in several heads (Bahdanau et al., 2015)."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class AdditiveAttention(nn.Module):
    """Heads are folded into the batch: N = B * n_heads."""

    def __init__(self, d_s, d_h, d_attn, d_v, n_heads):
        super().__init__()
        self.n_heads = n_heads
        self.W_a = nn.Linear(d_s, n_heads * d_attn, bias=False)
        self.U_a = nn.Linear(d_h, n_heads * d_attn)
        self.v_a = nn.Parameter(torch.randn(d_attn) / d_attn**0.5)
        self.W_v = nn.Linear(d_h, n_heads * d_v)

    def split_heads(self, x):
        """Gives each head the features that are its own."""
        B, T, width = x.shape
        d = width // self.n_heads
        return x.reshape(B * self.n_heads, T, d)

    def forward(self, state, keys, values, keep):
        """state (B, d_s), keys (N, T_enc, d_attn), values (N, T_enc, d_v), keep (N, 1, T_enc)."""
        B = state.shape[0]
        query = self.split_heads(self.W_a(state).unsqueeze(1))  # (N, 1, d_attn)
        scores = (torch.tanh(query + keys) @ self.v_a).unsqueeze(1)  # (N, 1, T_enc)
        scores = torch.where(keep, scores, -1e9)
        weights = torch.softmax(scores, dim=-1)
        context = torch.einsum("nqt,ntd->nd", weights, values)  # (N, d_v)
        return context.reshape(B, -1), weights


class CopyModel(nn.Module):
    """Reads a sequence and writes it again."""

    def __init__(self, n_symbols, d_emb=32, d_hidden=64, d_attn=16, d_v=32, n_heads=2):
        super().__init__()
        self.embedding = nn.Embedding(n_symbols, d_emb, padding_idx=0)
        self.encoder = nn.GRU(d_emb, d_hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d_hidden, d_hidden)
        self.attention = AdditiveAttention(d_hidden, 2 * d_hidden, d_attn, d_v, n_heads)
        self.cell = nn.GRUCell(d_emb + n_heads * d_v, d_hidden)
        self.out = nn.Linear(d_hidden + n_heads * d_v, n_symbols)

    def encode(self, source, lengths):
        """The encoder states, and the decoder's first state."""
        _, T_enc = source.shape
        packed = pack_padded_sequence(
            self.embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        outputs, last = self.encoder(packed)
        memory, _ = pad_packed_sequence(outputs, batch_first=True, total_length=T_enc)
        return memory, torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))

    def forward(self, source, lengths, previous):
        """The logits of the symbol that follows each of the `previous` ones."""
        _, T_dec = previous.shape
        memory, state = self.encode(source, lengths)
        keys = self.attention.split_heads(self.attention.U_a(memory))
        values = self.attention.split_heads(self.attention.W_v(memory))
        keep = (source != 0).repeat_interleave(self.attention.n_heads, dim=0).unsqueeze(1)
        embedded = self.embedding(previous)
        outputs = []
        for t in range(T_dec):
            context, _ = self.attention(state, keys, values, keep)
            state = self.cell(torch.cat([embedded[:, t], context], dim=-1), state)
            outputs.append(torch.cat([state, context], dim=-1))
        return self.out(torch.stack(outputs, dim=1))
