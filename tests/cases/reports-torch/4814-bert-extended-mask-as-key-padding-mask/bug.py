import torch
import torch.nn as nn


def extended_attention_mask(attention_mask, dtype=torch.float32):
    mask = attention_mask[:, None, None, :].to(dtype)
    return (1.0 - mask) * -10000.0


class SectionRanker(nn.Module):
    """Sentence vectors of a paper go through a small transformer, every sentence gets a salience score."""

    def __init__(self, sent_dim=768, d_model=128, nhead=4, num_layers=2, max_sents=200):
        super().__init__()
        self.proj = nn.Linear(sent_dim, d_model)
        self.position = nn.Embedding(max_sents, d_model)
        layer = nn.TransformerEncoderLayer(d_model=d_model, nhead=nhead, dim_feedforward=4 * d_model, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=num_layers, enable_nested_tensor=False)
        self.score = nn.Linear(d_model, 1)

    def forward(self, sent_vecs, attention_mask):
        n = sent_vecs.size(1)
        x = self.proj(sent_vecs) + self.position(torch.arange(n, device=sent_vecs.device))
        x = self.encoder(x, src_key_padding_mask=extended_attention_mask(attention_mask, x.dtype))
        return self.score(x).squeeze(-1).masked_fill(attention_mask == 0, float("-inf"))


def summarize(model, sent_vecs, attention_mask, k=3):
    with torch.inference_mode():
        scores = model.eval()(sent_vecs, attention_mask)
    return scores.topk(k, dim=1).indices.sort(dim=1).values
