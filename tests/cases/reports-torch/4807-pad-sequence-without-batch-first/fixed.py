import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence


def collate(molecules):
    """molecules: list of (n_atoms, n_feat) tensors"""
    lengths = torch.tensor([len(m) for m in molecules])
    atoms = pad_sequence(molecules, batch_first=True)
    is_pad = torch.arange(int(lengths.max()))[None, :] >= lengths[:, None]
    return atoms, is_pad


class AtomTransformer(nn.Module):
    def __init__(self, n_feat, d_model=64, nhead=4, depth=2):
        super().__init__()
        self.inp = nn.Linear(n_feat, d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, 2 * d_model, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, depth, enable_nested_tensor=False)
        self.head = nn.Linear(d_model, 1)

    def forward(self, atoms, is_pad):
        h = self.enc(self.inp(atoms), src_key_padding_mask=is_pad)
        keep = (~is_pad).unsqueeze(-1).float()
        pooled = (h * keep).sum(1) / keep.sum(1)
        return self.head(pooled).squeeze(-1)


def predict(model, molecules):
    model.eval()
    with torch.no_grad():
        atoms, is_pad = collate(molecules)
        return model(atoms, is_pad)
