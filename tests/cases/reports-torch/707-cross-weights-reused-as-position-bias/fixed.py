import torch
import torch.nn as nn


class T5Attention(nn.Module):
    def __init__(self, d_model, n_heads, has_bias, buckets=32):
        super().__init__()
        self.n_heads = n_heads
        self.q = nn.Linear(d_model, d_model, bias=False)
        self.k = nn.Linear(d_model, d_model, bias=False)
        self.v = nn.Linear(d_model, d_model, bias=False)
        self.o = nn.Linear(d_model, d_model, bias=False)
        self.relative = nn.Embedding(2 * buckets + 1, n_heads) if has_bias else None
        self.buckets = buckets

    def compute_bias(self, q_len, k_len):
        distance = torch.arange(k_len)[None, :] - torch.arange(q_len)[:, None]
        index = distance.clamp(-self.buckets, self.buckets) + self.buckets
        return self.relative(index).permute(2, 0, 1).unsqueeze(0)      # 1, H, q_len, k_len

    def forward(self, x, kv, position_bias=None):
        split = lambda t: t.view(t.size(0), t.size(1), self.n_heads, -1).transpose(1, 2)
        q, k, v = split(self.q(x)), split(self.k(kv)), split(self.v(kv))
        if position_bias is None:
            position_bias = self.compute_bias(x.size(1), kv.size(1))
        weights = (q @ k.transpose(2, 3) + position_bias).softmax(dim=-1)
        out = (weights @ v).transpose(1, 2).flatten(2)
        return self.o(out), weights, position_bias


class T5Block(nn.Module):
    def __init__(self, d_model, n_heads, first):
        super().__init__()
        self.self_attn = T5Attention(d_model, n_heads, first)
        self.cross_attn = T5Attention(d_model, n_heads, first)

    def forward(self, x, memory, self_bias, cross_bias):
        y, w1, b1 = self.self_attn(x, x, self_bias)
        z, w2, b2 = self.cross_attn(x + y, memory, cross_bias)
        return x + y + z, w1, b1, w2, b2


class T5Decoder(nn.Module):
    def __init__(self, d_model=32, n_heads=4, n_layers=3):
        super().__init__()
        self.block = nn.ModuleList(T5Block(d_model, n_heads, i == 0) for i in range(n_layers))

    def forward(self, x, memory):
        position_bias = encoder_decoder_position_bias = None
        for layer in self.block:
            outputs = layer(x, memory, position_bias, encoder_decoder_position_bias)
            x, position_bias = outputs[0], outputs[2]
            encoder_decoder_position_bias = outputs[4]
        return x


if __name__ == "__main__":
    print(T5Decoder()(torch.randn(2, 5, 32), torch.randn(2, 9, 32)).shape)
