import torch
from torch import nn


class ModelArgs:
    dim = 128
    n_heads = 8
    max_batch_size = 4
    max_seq_len = 64


class CachedAttention(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.n_heads = args.n_heads
        self.head_dim = args.dim // args.n_heads
        self.wq = nn.Linear(args.dim, args.dim, bias=False)
        self.wk = nn.Linear(args.dim, args.dim, bias=False)
        self.wv = nn.Linear(args.dim, args.dim, bias=False)
        self.wo = nn.Linear(args.dim, args.dim, bias=False)
        self.cache_k = torch.zeros((args.max_batch_size, args.max_seq_len, self.n_heads, self.head_dim))
        self.cache_v = torch.zeros((args.max_batch_size, args.max_seq_len, self.n_heads, self.head_dim))

    def split(self, x):
        bsz, seqlen, _ = x.shape
        return x.view(bsz, seqlen, self.n_heads, self.head_dim).transpose(1, 2)

    @torch.inference_mode()
    def forward(self, x, start_pos):
        bsz, seqlen, _ = x.shape
        xq, xk, xv = self.split(self.wq(x)), self.split(self.wk(x)), self.split(self.wv(x))

        self.cache_k[:bsz, start_pos:start_pos + seqlen] = xk.transpose(1, 2)
        self.cache_v[:bsz, start_pos:start_pos + seqlen] = xv.transpose(1, 2)

        keys = self.cache_k[:bsz, :start_pos + seqlen].transpose(1, 2)
        values = self.cache_v[:bsz, :start_pos + seqlen].transpose(1, 2)
        scores = torch.matmul(xq, keys.transpose(2, 3)) / self.head_dim ** 0.5
        if seqlen > 1:
            mask = torch.full((seqlen, start_pos + seqlen), float("-inf"))
            scores = scores + torch.triu(mask, diagonal=start_pos + 1)
        out = torch.matmul(scores.softmax(dim=-1), values)
        return self.wo(out.transpose(1, 2).reshape(bsz, seqlen, -1))


if __name__ == "__main__":
    attn = CachedAttention(ModelArgs())
    print(attn(torch.randn(2, 10, 128), 0).shape)
    print(attn(torch.randn(2, 1, 128), 10).shape)
