import torch
import torch.nn as nn
import torch.nn.functional as F


class DotAttention(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, decoder_hidden, encoder_outputs, src_lengths=None):
        # decoder_hidden: [B, H], encoder_outputs: [B, S, H]
        query = self.proj(decoder_hidden).unsqueeze(1)
        energy = torch.bmm(query, encoder_outputs.permute(0, 2, 1))
        if src_lengths is not None:
            steps = torch.arange(encoder_outputs.size(1), device=src_lengths.device)
            pad = steps[None, None, :] >= src_lengths[:, None, None]
            energy = energy.masked_fill(pad, -1e9)
        attn = F.softmax(energy, dim=2)
        context = torch.bmm(attn, encoder_outputs).squeeze(1)
        return context, attn.squeeze(1)


class Decoder(nn.Module):
    def __init__(self, vocab_size, emb_dim, hidden_dim):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, emb_dim)
        self.rnn = nn.LSTMCell(emb_dim, hidden_dim)
        self.attention = DotAttention(hidden_dim)
        self.fc = nn.Linear(hidden_dim * 2, vocab_size)

    def forward(self, token, state, encoder_outputs, src_lengths):
        h, c = self.rnn(self.embedding(token), state)
        context, attn = self.attention(h, encoder_outputs, src_lengths)
        return self.fc(torch.cat([h, context], dim=-1)), (h, c), attn
