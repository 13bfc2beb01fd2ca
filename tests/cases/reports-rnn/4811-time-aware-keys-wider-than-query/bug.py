import torch
import torch.nn as nn


class SessionRecommender(nn.Module):
    """GRU over the clicked items, attention over the session that knows how long ago a click was."""

    def __init__(self, n_items, item_dim=48, time_dim=16, n_buckets=50):
        super().__init__()
        self.items = nn.Embedding(n_items, item_dim, padding_idx=0)
        self.gaps = nn.Embedding(n_buckets, time_dim)
        self.gru = nn.GRU(item_dim, item_dim, batch_first=True)
        self.query = nn.Linear(item_dim, item_dim)
        self.merge = nn.Linear(2 * item_dim, item_dim)

    def forward(self, clicks, gap_bucket):
        emb = self.items(clicks)
        states, h_n = self.gru(emb)
        query = self.query(h_n[-1])

        keys = torch.cat([states, self.gaps(gap_bucket)], dim=-1)
        scores = torch.bmm(keys, query.unsqueeze(2)).squeeze(2)
        scores = scores.masked_fill(clicks == 0, -1e9)
        alpha = torch.softmax(scores, dim=1)

        interest = torch.bmm(alpha.unsqueeze(1), states).squeeze(1)
        session = self.merge(torch.cat([interest, h_n[-1]], dim=1))
        return session @ self.items.weight.t()


if __name__ == "__main__":
    model = SessionRecommender(1000)
    logits = model(torch.randint(1, 1000, (4, 12)), torch.randint(0, 50, (4, 12)))
    print(logits.topk(20).indices.shape)
