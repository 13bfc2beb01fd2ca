import torch
import torch.nn as nn


class MiniDETR(nn.Module):
    def __init__(self, num_classes, hidden_dim=128, nheads=8, num_queries=50):
        super().__init__()
        self.backbone = nn.Conv2d(3, hidden_dim, kernel_size=16, stride=16)
        self.transformer = nn.Transformer(hidden_dim, nheads, num_encoder_layers=1, num_decoder_layers=2, dim_feedforward=256)
        self.query_pos = nn.Parameter(torch.rand(num_queries, hidden_dim))
        self.row_embed = nn.Parameter(torch.rand(50, hidden_dim // 2))
        self.col_embed = nn.Parameter(torch.rand(50, hidden_dim // 2))
        self.linear_class = nn.Linear(hidden_dim, num_classes + 1)
        self.linear_bbox = nn.Linear(hidden_dim, 4)

    def forward(self, inputs):
        h = self.backbone(inputs)
        B, _, H, W = h.shape
        pos = torch.cat([
            self.col_embed[:W].unsqueeze(0).repeat(H, 1, 1),
            self.row_embed[:H].unsqueeze(1).repeat(1, W, 1),
        ], dim=-1).flatten(0, 1).unsqueeze(1)
        src = pos + h.flatten(2).permute(2, 0, 1)
        queries = self.query_pos.unsqueeze(0).repeat(B, 1, 1)
        out = self.transformer(src, queries)
        out = out.transpose(0, 1)
        return self.linear_class(out), self.linear_bbox(out).sigmoid()


if __name__ == "__main__":
    detr = MiniDETR(num_classes=91).eval()
    logits, boxes = detr(torch.randn(2, 3, 128, 160))
    print(logits.shape, boxes.shape)
