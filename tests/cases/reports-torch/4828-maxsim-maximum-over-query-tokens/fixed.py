import torch
import torch.nn as nn
import torch.nn.functional as F


class LateInteractionRetriever(nn.Module):
    """Every query token looks for its best document token, the matches are added up (MaxSim)."""

    def __init__(self, vocab_size, hidden=64, out_dim=32, nhead=4):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, hidden, padding_idx=0)
        layer = nn.TransformerEncoderLayer(hidden, nhead, 2 * hidden, dropout=0.0, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 1, enable_nested_tensor=False)
        self.linear = nn.Linear(hidden, out_dim, bias=False)

    def encode(self, ids):
        h = self.encoder(self.embed(ids), src_key_padding_mask=ids.eq(0))
        return F.normalize(self.linear(h), dim=-1)

    def score(self, q_vecs, d_vecs, d_mask):
        # (n_queries, n_docs, query_len, doc_len)
        sim = torch.einsum("qik,djk->qdij", q_vecs, d_vecs)
        sim = sim.masked_fill(~d_mask[None, :, None, :], -1.0)
        return sim.max(dim=3).values.sum(dim=-1)

    def forward(self, query_ids, doc_ids):
        scores = self.score(self.encode(query_ids), self.encode(doc_ids), doc_ids.ne(0))
        # in-batch negatives: document i belongs to query i
        labels = torch.arange(query_ids.size(0), device=scores.device)
        return F.cross_entropy(scores, labels), scores
