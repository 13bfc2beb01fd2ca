import torch
import torch.nn as nn


class InteractingLayer(nn.Module):
    """Self attention between the fields of an ad impression."""

    def __init__(self, emb_size, num_heads=2, use_res=True):
        super(InteractingLayer, self).__init__()
        self.num_heads = num_heads
        self.use_res = use_res
        self.W_q = nn.Linear(emb_size, emb_size, bias=False)
        self.W_k = nn.Linear(emb_size, emb_size, bias=False)
        self.W_v = nn.Linear(emb_size, emb_size, bias=False)
        if use_res:
            self.W_res = nn.Linear(emb_size, emb_size, bias=False)

    def forward(self, fields):
        batch_size = fields.shape[0]
        q = self.W_q(fields)
        k = self.W_k(fields)
        v = self.W_v(fields)

        # heads go to the batch axis
        q = torch.cat(torch.chunk(q, self.num_heads, dim=2), dim=0)
        k = torch.cat(torch.chunk(k, self.num_heads, dim=2), dim=0)
        v = torch.cat(torch.chunk(v, self.num_heads, dim=2), dim=0)

        scores = torch.bmm(q, k.transpose(1, 2)) / q.shape[-1] ** 0.5
        out = torch.bmm(torch.softmax(scores, dim=-1), v)

        out = torch.cat(torch.chunk(out, batch_size, dim=0), dim=2)
        if self.use_res:
            out = out + self.W_res(fields)
        return torch.relu(out)


class AutoIntCTR(nn.Module):
    def __init__(self, field_dims, emb_size=16, num_layers=2):
        super(AutoIntCTR, self).__init__()
        self.tables = nn.ModuleList([nn.Embedding(n, emb_size) for n in field_dims])
        self.layers = nn.ModuleList([InteractingLayer(emb_size) for _ in range(num_layers)])
        self.out = nn.Linear(len(field_dims) * emb_size, 1)

    def forward(self, x):
        h = torch.stack([table(x[:, i]) for i, table in enumerate(self.tables)], dim=1)
        for layer in self.layers:
            h = layer(h)
        return torch.sigmoid(self.out(h.flatten(1))).squeeze(1)
