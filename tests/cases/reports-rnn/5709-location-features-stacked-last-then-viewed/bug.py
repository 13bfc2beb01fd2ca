import torch
from torch import nn
from torch.nn import functional as F


class LocationLayer(nn.Module):
    def __init__(self, n_filters, kernel_size, attention_dim):
        super().__init__()
        self.conv = nn.Conv1d(2, n_filters, kernel_size, padding=(kernel_size - 1) // 2, bias=False)
        self.dense = nn.Linear(n_filters, attention_dim, bias=False)

    def forward(self, attention_weights_cat):
        return self.dense(self.conv(attention_weights_cat).transpose(1, 2))


class LocationSensitiveAttention(nn.Module):
    def __init__(self, rnn_dim, memory_dim, attention_dim, n_filters=32, kernel_size=31):
        super().__init__()
        self.query_layer = nn.Linear(rnn_dim, attention_dim, bias=False)
        self.memory_layer = nn.Linear(memory_dim, attention_dim, bias=False)
        self.v = nn.Linear(attention_dim, 1, bias=False)
        self.location_layer = LocationLayer(n_filters, kernel_size, attention_dim)

    def init_states(self, memory):
        b, t, _ = memory.shape
        self.prev = memory.new_zeros(b, t)
        self.cum = memory.new_zeros(b, t)
        self.processed_memory = self.memory_layer(memory)

    def forward(self, query, memory, mask=None):
        """
        query: decoder state (batch, rnn_dim)
        memory: encoder outputs (batch, time, memory_dim)
        """
        b, t, _ = memory.shape
        loc = torch.stack((self.prev, self.cum), dim=2).view(b, 2, t)
        energies = self.v(torch.tanh(
            self.query_layer(query.unsqueeze(1)) + self.processed_memory + self.location_layer(loc)
        )).squeeze(-1)
        if mask is not None:
            energies = energies.masked_fill(mask, -float("inf"))
        alignment = F.softmax(energies, dim=1)
        self.prev = alignment
        self.cum = self.cum + alignment
        return torch.bmm(alignment.unsqueeze(1), memory).squeeze(1), alignment
