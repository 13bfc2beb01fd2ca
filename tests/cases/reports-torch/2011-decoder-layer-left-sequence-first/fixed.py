import torch
import torch.nn as nn


class CaptionModel(nn.Module):
    def __init__(self, feat_dim, vocab_size, d_model=128, nhead=4, num_layers=2, max_len=40):
        super().__init__()
        self.feat_proj = nn.Linear(feat_dim, d_model)
        self.word_emb = nn.Embedding(vocab_size, d_model)
        self.pos_emb = nn.Embedding(max_len, d_model)

        enc_layer = nn.TransformerEncoderLayer(d_model, nhead, 4 * d_model, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(enc_layer, num_layers)
        dec_layer = nn.TransformerDecoderLayer(d_model, nhead, 4 * d_model, dropout=0.1, batch_first=True)
        self.decoder = nn.TransformerDecoder(dec_layer, num_layers)
        self.fc_out = nn.Linear(d_model, vocab_size)

    def forward(self, feats, captions):
        # feats: (batch, regions, feat_dim), captions: (batch, words)
        memory = self.encoder(self.feat_proj(feats))

        positions = torch.arange(captions.size(1), device=captions.device)
        tgt = self.word_emb(captions) + self.pos_emb(positions)

        out = self.decoder(tgt, memory)
        return self.fc_out(out)


if __name__ == "__main__":
    model = CaptionModel(feat_dim=512, vocab_size=1000)
    feats = torch.randn(8, 49, 512)
    captions = torch.randint(0, 1000, (8, 15))
    print(model(feats, captions).shape)
