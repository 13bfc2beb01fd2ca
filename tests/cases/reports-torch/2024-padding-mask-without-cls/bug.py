import torch
import torch.nn as nn


class TrackEncoder(nn.Module):
    """Encodes a variable number of detector hits into one vector."""

    def __init__(self, n_features, embed_dim=64, n_heads=4, n_layers=2):
        super().__init__()
        self.input_net = nn.Linear(n_features, embed_dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        nn.init.normal_(self.cls_token, std=0.02)
        encoder_layer = nn.TransformerEncoderLayer(
            d_model=embed_dim,
            nhead=n_heads,
            dim_feedforward=2 * embed_dim,
            dropout=0.0,
            batch_first=True,
        )
        self.encoder = nn.TransformerEncoder(encoder_layer, n_layers)
        self.regressor = nn.Linear(embed_dim, 1)

    def forward(self, hits, padding_mask):
        """hits (B, L, F), padding_mask (B, L) with True for padded hits"""
        B = hits.shape[0]
        x = self.input_net(hits)
        cls = self.cls_token.expand(B, -1, -1)
        x = torch.cat((cls, x), dim=1)

        mask = padding_mask.bool()

        x = self.encoder(x, src_key_padding_mask=mask)
        return self.regressor(x[:, 0])


if __name__ == "__main__":
    enc = TrackEncoder(n_features=7)
    hits = torch.randn(5, 30, 7)
    n_hits = torch.tensor([30, 12, 25, 8, 17])
    print(enc(hits, torch.arange(30)[None] >= n_hits[:, None]).shape)
