import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadPooling(nn.Module):
    """Every head scores and averages its own slice of the frame vector."""

    def __init__(self, encoder_size, heads):
        super().__init__()
        assert encoder_size % heads == 0
        self.heads, self.d_head = heads, encoder_size // heads
        self.query = nn.Parameter(torch.empty(heads, self.d_head))
        nn.init.xavier_normal_(self.query)

    def forward(self, ht, mask):
        b, t, _ = ht.size()
        keys = ht.view(b, t, self.heads, self.d_head)
        scores = torch.einsum("bthd,hd->bth", keys, self.query) / self.d_head ** 0.5
        scores = scores.masked_fill(~mask.unsqueeze(-1), -1e4)
        alignment = F.softmax(scores, dim=1)
        values = ht.view(b, t, self.d_head, self.heads)
        context = (values * alignment.unsqueeze(2)).sum(dim=1)
        return context.reshape(b, -1), alignment


class UtteranceEmbedder(nn.Module):
    def __init__(self, n_mels=40, hidden=96, heads=8, emb=64, speakers=100):
        super().__init__()
        self.blstm = nn.LSTM(n_mels, hidden, num_layers=2, batch_first=True, bidirectional=True)
        self.pool = MultiHeadPooling(2 * hidden, heads)
        self.fc = nn.Linear(2 * hidden, emb)
        self.speakers = nn.Linear(emb, speakers)

    def forward(self, mels, n_frames):
        ht, _ = self.blstm(mels)
        mask = torch.arange(ht.size(1), device=ht.device).unsqueeze(0) < n_frames.unsqueeze(1)
        pooled, _ = self.pool(ht, mask)
        e = self.fc(pooled)
        return self.speakers(F.relu(e)), F.normalize(e, dim=-1)
