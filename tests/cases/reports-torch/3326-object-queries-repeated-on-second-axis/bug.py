import torch
import torch.nn as nn


class QueryDecoderLayer(nn.Module):
    def __init__(self, d_model, nhead):
        super().__init__()
        self.self_attn = nn.MultiheadAttention(d_model, nhead, batch_first=True)
        self.cross_attn = nn.MultiheadAttention(d_model, nhead, batch_first=True)
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(d_model) for _ in range(3))
        self.ffn = nn.Sequential(nn.Linear(d_model, 1024), nn.ReLU(), nn.Linear(1024, d_model))

    def forward(self, tgt, memory, pos, query_pos):
        q = k = tgt + query_pos
        tgt = self.norm1(tgt + self.self_attn(q, k, tgt)[0])
        out = self.cross_attn(tgt + query_pos, memory + pos, memory)[0]
        tgt = self.norm2(tgt + out)
        return self.norm3(tgt + self.ffn(tgt))


class DETRHead(nn.Module):
    """Object queries on top of a backbone feature map."""

    def __init__(self, in_channels, num_classes, d_model=256, nhead=8, num_queries=100, depth=2):
        super().__init__()
        self.input_proj = nn.Conv2d(in_channels, d_model, 1)
        self.query_embed = nn.Embedding(num_queries, d_model)
        self.layers = nn.ModuleList(QueryDecoderLayer(d_model, nhead) for _ in range(depth))
        self.class_embed = nn.Linear(d_model, num_classes + 1)
        self.bbox_embed = nn.Linear(d_model, 4)

    def forward(self, features, pos_embed):
        bs = features.shape[0]
        memory = self.input_proj(features).flatten(2).transpose(1, 2)
        pos = pos_embed.flatten(2).transpose(1, 2)
        query_pos = self.query_embed.weight.unsqueeze(1).repeat(1, bs, 1)
        tgt = torch.zeros_like(query_pos)
        for layer in self.layers:
            tgt = layer(tgt, memory, pos, query_pos)
        return self.class_embed(tgt), self.bbox_embed(tgt).sigmoid()


if __name__ == "__main__":
    head = DETRHead(in_channels=512, num_classes=91)
    logits, boxes = head(torch.randn(2, 512, 8, 10), torch.randn(2, 256, 8, 10))
    print(logits.shape, boxes.shape)
