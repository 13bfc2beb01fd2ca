import torch
import torch.nn as nn


class ConvFeedForward(nn.Module):
    """Two 1-D convolutions over the phoneme axis, as in FastSpeech."""

    def __init__(self, d_model, d_hidden, kernel_size=9, dropout=0.1):
        super().__init__()
        self.w_1 = nn.Conv1d(d_model, d_hidden, kernel_size, padding=kernel_size // 2)
        self.w_2 = nn.Conv1d(d_hidden, d_model, 1)
        self.layer_norm = nn.LayerNorm(d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        y = self.w_2(torch.relu(self.w_1(x)))
        return self.layer_norm(x + self.dropout(y.transpose(1, 2)))


class FFTBlock(nn.Module):
    def __init__(self, d_model, n_head, d_hidden):
        super().__init__()
        self.slf_attn = nn.MultiheadAttention(d_model, n_head, batch_first=True)
        self.norm = nn.LayerNorm(d_model)
        self.pos_ffn = ConvFeedForward(d_model, d_hidden)

    def forward(self, x, pad_mask):
        a, attn = self.slf_attn(x, x, x, key_padding_mask=pad_mask)
        x = self.norm(x + a).masked_fill(pad_mask.unsqueeze(-1), 0)
        x = self.pos_ffn(x).masked_fill(pad_mask.unsqueeze(-1), 0)
        return x, attn


class PhonemeEncoder(nn.Module):
    def __init__(self, n_phonemes, d_model=64, n_layers=2):
        super().__init__()
        self.emb = nn.Embedding(n_phonemes, d_model, padding_idx=0)
        self.layers = nn.ModuleList([FFTBlock(d_model, 2, 4 * d_model) for _ in range(n_layers)])

    def forward(self, phonemes):
        pad_mask = phonemes.eq(0)
        x = self.emb(phonemes)
        for layer in self.layers:
            x, _ = layer(x, pad_mask)
        return x
