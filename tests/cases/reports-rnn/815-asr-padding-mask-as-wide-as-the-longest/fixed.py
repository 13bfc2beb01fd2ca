import torch
import torch.nn as nn


def length_to_mask(length, max_len=None):
    if max_len is None:
        max_len = int(length.max())
    return torch.arange(max_len)[None, :] < length[:, None]


class SelfAttention(nn.Module):
    def __init__(self, d_model, nhead):
        super().__init__()
        self.nhead, self.scale = nhead, (d_model // nhead) ** -0.5
        self.in_proj = nn.Linear(d_model, 3 * d_model)
        self.out_proj = nn.Linear(d_model, d_model)

    def forward(self, x, key_padding_mask):
        B, T, D = x.shape
        q, k, v = self.in_proj(x).view(B, T, 3, self.nhead, -1).permute(2, 0, 3, 1, 4)
        attn = q @ k.transpose(-2, -1) * self.scale
        attn = attn.masked_fill(key_padding_mask.view(B, 1, 1, -1), float("-inf")).softmax(dim=-1)
        return self.out_proj((attn @ v).transpose(1, 2).reshape(B, T, D))


class TransformerASREncoder(nn.Module):
    def __init__(self, n_mels, vocab, d_model=32, nhead=4, layers=2):
        super().__init__()
        self.custom_src_module = nn.Linear(n_mels, d_model)
        self.layers = nn.ModuleList([SelfAttention(d_model, nhead) for _ in range(layers)])
        self.norms = nn.ModuleList([nn.LayerNorm(d_model) for _ in range(layers)])
        self.ctc_lin = nn.Linear(d_model, vocab)

    def make_masks(self, src, wav_len):
        abs_len = torch.round(wav_len * src.shape[1]).long()
        return ~length_to_mask(abs_len, max_len=src.shape[1])

    def forward(self, src, wav_len):
        """src: (batch, frames, n_mels), wav_len: relative length of every utterance"""
        src_key_padding_mask = self.make_masks(src, wav_len)
        x = self.custom_src_module(src)
        for layer, norm in zip(self.layers, self.norms):
            x = x + layer(norm(x), src_key_padding_mask)
        return self.ctc_lin(x).log_softmax(dim=-1)


if __name__ == "__main__":
    model = TransformerASREncoder(40, 30)
    print(model(torch.randn(2, 64, 40), torch.tensor([1.0, 0.6])).shape)
    print(model(torch.randn(2, 64, 40), torch.tensor([0.9, 0.6])).shape)
