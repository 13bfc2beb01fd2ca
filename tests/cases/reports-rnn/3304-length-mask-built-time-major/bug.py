import torch
import torch.nn as nn
from torch.nn.utils.rnn import pad_packed_sequence, pack_padded_sequence


def length_mask(lengths, max_len):
    """True on real frames, False on padding."""
    positions = torch.arange(max_len, device=lengths.device)
    return positions.unsqueeze(1) < lengths.unsqueeze(0)


class EmotionClassifier(nn.Module):
    """Speech emotion recognition: MFCC -> BiGRU -> attention pooling."""

    def __init__(self, n_mfcc=39, hidden=128, n_classes=4):
        super().__init__()
        self.gru = nn.GRU(n_mfcc, hidden, batch_first=True, bidirectional=True)
        self.proj = nn.Linear(2 * hidden, hidden)
        self.score = nn.Linear(hidden, 1, bias=False)
        self.dropout = nn.Dropout(0.3)
        self.fc = nn.Linear(2 * hidden, n_classes)

    def forward(self, mfcc, lengths):
        # mfcc: (batch, frames, n_mfcc)
        batch, frames, _ = mfcc.shape
        packed = pack_padded_sequence(mfcc, lengths.cpu(), batch_first=True, enforce_sorted=False)
        packed, _ = self.gru(packed)
        states, _ = pad_packed_sequence(packed, batch_first=True, total_length=frames)

        e = self.score(torch.tanh(self.proj(states))).squeeze(-1)
        e = e.masked_fill(~length_mask(lengths, frames), float("-inf"))
        alpha = torch.softmax(e, dim=1)

        utterance = (alpha.unsqueeze(-1) * states).sum(dim=1)
        return self.fc(self.dropout(utterance))


if __name__ == "__main__":
    model = EmotionClassifier()
    print(model(torch.randn(4, 300, 39), torch.tensor([300, 120, 250, 87])).shape)
