import torch
import torch.nn as nn


class CaptionDecoder(nn.Module):
    def __init__(self, vocab_size, d_model=64, nhead=4, num_layers=2, max_len=128):
        super().__init__()
        self.token_emb = nn.Embedding(vocab_size, d_model)
        self.pos_emb = nn.Embedding(max_len, d_model)
        decoder_layer = nn.TransformerDecoderLayer(d_model, nhead, batch_first=True)
        self.decoder = nn.TransformerDecoder(decoder_layer, num_layers)
        self.lm_head = nn.Linear(d_model, vocab_size)

    def forward(self, input_ids, attention_mask, image_features):
        positions = torch.arange(input_ids.size(1), device=input_ids.device)
        tgt = self.token_emb(input_ids) + self.pos_emb(positions)
        hidden = self.decoder(tgt, image_features, tgt_key_padding_mask=attention_mask == 0)
        return self.lm_head(hidden)


if __name__ == "__main__":
    input_ids = torch.randint(0, 100, (4, 24))
    attention_mask = torch.ones(4, 24, dtype=torch.long)
    attention_mask[:, 20:] = 0
    model = CaptionDecoder(100)
    print(model(input_ids, attention_mask, torch.randn(4, 49, 64)).shape)
