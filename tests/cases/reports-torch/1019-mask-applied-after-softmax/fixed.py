import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadedAttention(nn.Module):
    """Self-attention over acoustic frames.

    :param int n_head: the number of heads
    :param int n_feat: the number of features
    """

    def __init__(self, n_head, n_feat, dropout_rate=0.0):
        super().__init__()
        assert n_feat % n_head == 0
        self.d_k = n_feat // n_head
        self.h = n_head
        self.linear_q = nn.Linear(n_feat, n_feat)
        self.linear_k = nn.Linear(n_feat, n_feat)
        self.linear_v = nn.Linear(n_feat, n_feat)
        self.linear_out = nn.Linear(n_feat, n_feat)
        self.dropout = nn.Dropout(p=dropout_rate)

    def forward_qkv(self, x):
        n_batch = x.size(0)
        q = self.linear_q(x).view(n_batch, -1, self.h, self.d_k).transpose(1, 2)
        k = self.linear_k(x).view(n_batch, -1, self.h, self.d_k).transpose(1, 2)
        v = self.linear_v(x).view(n_batch, -1, self.h, self.d_k).transpose(1, 2)
        return q, k, v

    def forward(self, x, lengths):
        q, k, v = self.forward_qkv(x)
        pad = torch.arange(x.size(1), device=x.device)[None, :] >= lengths[:, None]
        pad = pad[:, None, None, :]  # (batch, 1, 1, time)

        scores = torch.matmul(q, k.transpose(-2, -1)) / self.d_k ** 0.5
        attn = F.softmax(scores.masked_fill(pad, float("-inf")), dim=-1)
        attn = attn.masked_fill(pad, 0.0)

        x = torch.matmul(self.dropout(attn), v)
        x = x.transpose(1, 2).contiguous().view(x.size(0), -1, self.h * self.d_k)
        return self.linear_out(x)
