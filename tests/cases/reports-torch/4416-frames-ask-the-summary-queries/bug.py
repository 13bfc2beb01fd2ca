import torch
import torch.nn as nn


class VideoSummaryClassifier(nn.Module):
    """A few learned queries read the frames of a clip, their mean is classified."""

    def __init__(self, frame_dim, n_classes, dim=64, n_queries=4, heads=4):
        super().__init__()
        self.frame_proj = nn.Linear(frame_dim, dim)
        self.queries = nn.Parameter(torch.randn(n_queries, dim))
        layer = nn.TransformerDecoderLayer(dim, heads, 2 * dim, dropout=0.0, batch_first=True)
        self.decoder = nn.TransformerDecoder(layer, num_layers=2)
        self.classifier = nn.Linear(dim, n_classes)

    def forward(self, frames, lengths):
        memory = self.frame_proj(frames)
        batch, n_frames, _ = memory.shape
        pad = torch.arange(n_frames)[None, :] >= lengths[:, None]
        queries = self.queries.unsqueeze(0).expand(batch, -1, -1)
        summary = self.decoder(memory, queries, tgt_key_padding_mask=pad)
        return self.classifier(summary.mean(dim=1))


if __name__ == "__main__":
    model = VideoSummaryClassifier(frame_dim=128, n_classes=10)
    clips = torch.randn(3, 30, 128)
    print(model(clips, torch.tensor([30, 12, 25])).shape)
