"""A GRU encoder-decoder without attention: all of the source goes through one vector."""

import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence


class CopyModel(nn.Module):
    """Reads a sequence and writes it again."""

    def __init__(self, n_symbols, d_emb=32, d_hidden=64):
        super().__init__()
        self.embedding = nn.Embedding(n_symbols, d_emb, padding_idx=0)
        self.encoder = nn.GRU(d_emb, d_hidden, batch_first=True, bidirectional=True)
        self.bridge = nn.Linear(2 * d_hidden, d_hidden)
        self.decoder = nn.GRU(d_emb, d_hidden, batch_first=True)
        self.out = nn.Linear(d_hidden, n_symbols)

    def forward(self, source, lengths, previous):
        """The logits of the symbol that follows each of the `previous` ones."""
        packed = pack_padded_sequence(
            self.embedding(source), lengths, batch_first=True, enforce_sorted=False
        )
        _, last = self.encoder(packed)
        state = torch.tanh(self.bridge(torch.cat([last[0], last[1]], dim=-1)))
        states, _ = self.decoder(self.embedding(previous), state.unsqueeze(0))
        return self.out(states)
