import torch
import torch.nn as nn


class ObjectSlots(nn.Module):
    """Binds a set of features to a few slots that compete for them."""

    def __init__(self, n_slots, width, rounds=3):
        super().__init__()
        self.rounds = rounds
        self.start = nn.Parameter(torch.randn(n_slots, width))
        self.query = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, width))
        self.norm = nn.LayerNorm(width)
        self.key = nn.Linear(width, width)
        self.value = nn.Linear(width, width)
        self.update = nn.GRUCell(width, width)

    def forward(self, features):
        bs, n_feat, width = features.shape
        features = self.norm(features)
        keys, values = self.key(features), self.value(features)
        slots = self.start.repeat(bs, 1, 1)

        for _ in range(self.rounds):
            logits = self.query(slots) @ keys.mT / width ** 0.5
            share = logits.softmax(dim=1) + 1e-8
            share = share / share.sum(dim=1, keepdim=True)
            read = share @ values
            slots = self.update(read.flatten(0, 1), slots.flatten(0, 1)).view_as(slots)
        return slots, share


if __name__ == "__main__":
    slots, share = ObjectSlots(n_slots=5, width=32)(torch.randn(2, 100, 32))
    print(slots.shape, share.shape)
