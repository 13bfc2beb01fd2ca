import torch
import torch.nn as nn
import torch.nn.functional as F


class RelativeMultiHeadAttention(nn.Module):
    def __init__(self, emb_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = emb_dim // num_heads
        self.wq = nn.Linear(emb_dim, emb_dim)
        self.wk = nn.Linear(emb_dim, emb_dim)
        self.wv = nn.Linear(emb_dim, emb_dim)

    def reshape_from_feed(self, batch_size, _tensor):
        return _tensor.view(batch_size, -1, self.num_heads, self.head_dim).permute(0, 2, 1, 3)

    def reshape_to_concat(self, batch_size, _tensor):
        # before shape: (batch size, number of heads, input length, head dimension)
        # after shape: (batch size, input length, number of heads, head dimension)
        _tensor = _tensor.permute(0, 2, 1, 3)
        return _tensor.contiguous().view(batch_size, -1, self.num_heads * self.head_dim)

    def forward(self, query, key, value):
        batch_size = query.size(0)
        query = self.reshape_from_feed(batch_size, self.wq(query)).reshape(batch_size * self.num_heads, -1, self.head_dim)
        key = self.reshape_from_feed(batch_size, self.wk(key)).reshape(batch_size * self.num_heads, -1, self.head_dim)
        value = self.reshape_from_feed(batch_size, self.wv(value)).reshape(batch_size * self.num_heads, -1, self.head_dim)

        attn_score = torch.bmm(query, key.transpose(1, 2)) / self.head_dim ** 0.5
        attn_score = F.softmax(attn_score, -1)
        output = torch.bmm(attn_score, value)

        output = output.view(self.num_heads, batch_size, -1, self.head_dim)
        output = self.reshape_to_concat(batch_size, output)
        return output, attn_score


if __name__ == "__main__":
    x = torch.randn(3, 7, 32)
    out, _ = RelativeMultiHeadAttention(32, 4)(x, x, x)
    print(out.shape)
