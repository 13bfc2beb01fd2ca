import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class Attn(nn.Module):
    def __init__(self, hidden_size):
        super().__init__()
        self.attn = nn.Linear(hidden_size * 2, hidden_size)
        self.v = nn.Parameter(torch.rand(hidden_size))
        self.v.data.normal_(mean=0, std=1. / math.sqrt(hidden_size))

    def forward(self, hidden, encoder_outputs, src_len=None):
        '''
        :param hidden: decoder state of the last layer, [layers, B, H]
        :param encoder_outputs: [T, B, H]
        :return: attention energies in shape [B, 1, T]
        '''
        max_len = encoder_outputs.size(0)
        H = hidden[-1].repeat(max_len, 1, 1).transpose(0, 1)    # [B, T, H]
        encoder_outputs = encoder_outputs.transpose(0, 1)       # [B, T, H]
        energies = self.score(H, encoder_outputs)
        if src_len is not None:
            steps = torch.arange(max_len, device=energies.device)
            energies = energies.masked_fill(steps[None, :] >= src_len[:, None], -1e18)
        return F.softmax(energies, dim=1).unsqueeze(1)

    def score(self, hidden, encoder_outputs):
        energy = torch.tanh(self.attn(torch.cat([hidden, encoder_outputs], 2)))
        energy = energy.transpose(2, 1)                         # [B, H, T]
        v = self.v.repeat(encoder_outputs.size(0), 1).unsqueeze(1)
        return torch.bmm(v, energy).squeeze(1)                  # [B, T]


class BahdanauAttnDecoderRNN(nn.Module):
    def __init__(self, hidden_size, embed_size, output_size, n_layers=2):
        super().__init__()
        self.embedding = nn.Embedding(output_size, embed_size)
        self.attn = Attn(hidden_size)
        self.gru = nn.GRU(hidden_size + embed_size, hidden_size, n_layers)
        self.out = nn.Linear(hidden_size, output_size)

    def forward(self, word_input, last_hidden, encoder_outputs):
        word_embedded = self.embedding(word_input).unsqueeze(0)
        attn_weights = self.attn(last_hidden, encoder_outputs)
        context = attn_weights.bmm(encoder_outputs.transpose(0, 1)).transpose(0, 1)
        output, hidden = self.gru(torch.cat((word_embedded, context), 2), last_hidden)
        return self.out(output.squeeze(0)), hidden, attn_weights
