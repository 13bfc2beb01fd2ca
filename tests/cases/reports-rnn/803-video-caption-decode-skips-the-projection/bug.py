import torch
import torch.nn as nn
import torch.nn.functional as F


class TemporalAttention(nn.Module):
    def __init__(self, feat_size, hidden_size, bottleneck):
        super().__init__()
        self.W = nn.Linear(hidden_size, bottleneck, bias=False)
        self.U = nn.Linear(feat_size, bottleneck)
        self.w = nn.Linear(bottleneck, 1, bias=False)

    def forward(self, hidden, feats):
        energies = self.w(torch.tanh(self.W(hidden).unsqueeze(1) + self.U(feats)))
        weights = F.softmax(energies, dim=1)
        return (feats * weights).sum(dim=1), weights.squeeze(2)


class SALSTM(nn.Module):
    """Soft-attention video captioning on pre-extracted frame features."""

    def __init__(self, vocab_size, feat_size=1536, proj_size=128, hidden_size=128, embed_size=96, max_frames=28, sos=1):
        super().__init__()
        self.max_frames, self.sos = max_frames, sos
        self.hidden_size = hidden_size
        self.encoder = nn.Sequential(nn.Linear(feat_size, proj_size), nn.ReLU(), nn.Dropout(0.3))
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.attention = TemporalAttention(proj_size, hidden_size, 64)
        self.rnn = nn.LSTMCell(embed_size + proj_size, hidden_size)
        self.out = nn.Linear(hidden_size, vocab_size)

    def init_state(self, batch_size, like):
        zeros = like.new_zeros(batch_size, self.hidden_size)
        return zeros, zeros

    def step(self, token, state, feats):
        context, weights = self.attention(state[0], feats)
        state = self.rnn(torch.cat((self.embedding(token), context), dim=1), state)
        return self.out(state[0]), state, weights

    def forward(self, feats, captions):
        feats = self.encoder(feats[:, :self.max_frames])
        state = self.init_state(feats.size(0), feats)
        logits = []
        for t in range(captions.size(1) - 1):
            scores, state, _ = self.step(captions[:, t], state, feats)
            logits.append(scores)
        return torch.stack(logits, dim=1)

    @torch.no_grad()
    def greedy_decode(self, feats, max_len=20):
        feats = feats[:, :self.max_frames]
        state = self.init_state(feats.size(0), feats)
        token = torch.full((feats.size(0),), self.sos, dtype=torch.long)
        caption = []
        for _ in range(max_len):
            scores, state, _ = self.step(token, state, feats)
            token = scores.argmax(dim=1)
            caption.append(token)
        return torch.stack(caption, dim=1)
