import torch
import torch.nn as nn


class DecoderBlock(nn.Module):
    def __init__(self, emb_size, num_heads, context=64):
        super().__init__()
        self.ln1 = nn.LayerNorm(emb_size)
        self.attn = nn.MultiheadAttention(emb_size, num_heads, batch_first=True)
        self.ln2 = nn.LayerNorm(emb_size)
        self.ff = nn.Sequential(nn.Linear(emb_size, 4 * emb_size), nn.GELU(), nn.Linear(4 * emb_size, emb_size))

    def forward(self, x):
        seq_len = x.size(1)
        mask = torch.tril(torch.ones(seq_len, seq_len, device=x.device))
        h = self.ln1(x)
        attn_out, _ = self.attn(h, h, h, attn_mask=mask)
        x = x + attn_out
        return x + self.ff(self.ln2(x))


if __name__ == "__main__":
    block = DecoderBlock(32, 4)
    print(block(torch.randn(2, 10, 32)).shape)
