import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_sequence

torch.manual_seed(0)


class EmotionNet(nn.Module):
    def __init__(self, n_feat, hidden=64, heads=4, n_class=4):
        super().__init__()
        self.gru = nn.GRU(n_feat, hidden)
        self.attn = nn.MultiheadAttention(hidden, heads)
        self.norm = nn.LayerNorm(hidden)
        self.cls = nn.Linear(hidden, n_class)

    def forward(self, frames):
        h, _ = self.gru(frames)
        z, _ = self.attn(h, h, h, need_weights=False)
        h = self.norm(h + z)
        return self.cls(h.mean(dim=0))      # average over the frames


# utterances of MFCC frames, equal length after cropping
utts = [torch.randn(120, 39) for _ in range(16)]
frames = pad_sequence(utts)                 # T x B x 39
net = EmotionNet(n_feat=39)
logits = net(frames)
labels = torch.randint(0, 4, (16,))
loss = nn.functional.cross_entropy(logits, labels)
print(logits.shape, loss.item())
