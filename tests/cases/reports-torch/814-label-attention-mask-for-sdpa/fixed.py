import torch
import torch.nn as nn
import torch.nn.functional as F


class LabelAttention(nn.Module):
    """One learned query per class attends to the tokens of the text."""

    def __init__(self, num_classes, embedding_dim, n_head):
        super().__init__()
        assert embedding_dim % n_head == 0
        self.num_classes, self.n_head = num_classes, n_head
        self.label_embeds = nn.Embedding(num_classes, embedding_dim)
        self.norm = nn.LayerNorm(embedding_dim)
        self.c_q = nn.Linear(embedding_dim, embedding_dim, bias=False)
        self.c_k = nn.Linear(embedding_dim, embedding_dim, bias=False)
        self.c_v = nn.Linear(embedding_dim, embedding_dim, bias=False)
        self.c_proj = nn.Linear(embedding_dim, embedding_dim, bias=False)

    def split(self, x):
        return x.view(x.size(0), x.size(1), self.n_head, -1).transpose(1, 2)

    def forward(self, token_embeddings, attention_mask=None):
        """attention_mask: (batch, seq_len), 1 for tokens and 0 for padding"""
        B, T, C = token_embeddings.size()
        labels = self.norm(self.label_embeds.weight).expand(B, self.num_classes, C)
        q = self.split(self.c_q(labels))
        k, v = self.split(self.c_k(token_embeddings)), self.split(self.c_v(token_embeddings))
        attn_mask = None
        if attention_mask is not None:
            attn_mask = (attention_mask != 0).view(B, 1, 1, T)
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=attn_mask)
        y = y.transpose(1, 2).reshape(B, self.num_classes, C)
        return self.c_proj(y)


class TextClassifier(nn.Module):
    def __init__(self, vocab_size, num_classes, dim=32, n_head=4, pad_id=0):
        super().__init__()
        self.pad_id = pad_id
        self.embed = nn.Embedding(vocab_size, dim, padding_idx=pad_id)
        self.label_attention = LabelAttention(num_classes, dim, n_head)
        self.score = nn.Linear(dim, 1)

    def forward(self, input_ids):
        mask = (input_ids != self.pad_id).long()
        return self.score(self.label_attention(self.embed(input_ids), mask)).squeeze(-1)
