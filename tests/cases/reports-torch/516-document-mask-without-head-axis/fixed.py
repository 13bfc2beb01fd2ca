import torch
import torch.nn as nn
import torch.nn.functional as F


def packed_doc_mask(doc_ids):
    # causal inside a document, nothing across documents
    same = doc_ids.unsqueeze(2) == doc_ids.unsqueeze(1)
    n = doc_ids.size(1)
    causal = torch.ones(n, n, dtype=torch.bool, device=doc_ids.device).tril()
    return same & causal


class Attention(nn.Module):
    def __init__(self, dim, n_head):
        super().__init__()
        self.n_head = n_head
        self.wqkv = nn.Linear(dim, 3 * dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)

    def forward(self, x, doc_ids):
        B, T, C = x.shape
        q, k, v = self.wqkv(x).split(C, dim=2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        mask = packed_doc_mask(doc_ids).unsqueeze(1)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.wo(y.transpose(1, 2).reshape(B, T, C))


if __name__ == "__main__":
    attn = Attention(dim=384, n_head=6)
    doc_ids = torch.tensor([[0] * 10 + [1] * 22, [0] * 32, [0] * 5 + [1] * 5 + [2] * 22, [0] * 31 + [1]])
    print(attn(torch.randn(4, 32, 384), doc_ids).shape)
