import torch
import torch.nn as nn


class MolecularGraphLayer(nn.Module):
    """Atoms exchange messages with the atoms they are bonded to (and with themselves)."""

    def __init__(self, dim: int, heads: int = 4):
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm1 = nn.LayerNorm(dim)
        self.norm2 = nn.LayerNorm(dim)
        self.ffn = nn.Sequential(nn.Linear(dim, 2 * dim), nn.SiLU(), nn.Linear(2 * dim, dim))

    def forward(self, atoms: torch.Tensor, bonds: torch.Tensor) -> torch.Tensor:
        n = atoms.shape[1]
        linked = bonds.bool() | torch.eye(n, dtype=torch.bool, device=atoms.device)
        attn_mask = linked.repeat_interleave(self.attn.num_heads, dim=0)
        h = self.norm1(atoms)
        msg, _ = self.attn(h, h, h, attn_mask=attn_mask, need_weights=False)
        atoms = atoms + msg
        return atoms + self.ffn(self.norm2(atoms))


class SolubilityModel(nn.Module):
    def __init__(self, n_elements=100, dim=32, depth=3):
        super().__init__()
        self.emb = nn.Embedding(n_elements, dim)
        self.layers = nn.ModuleList(MolecularGraphLayer(dim) for _ in range(depth))
        self.out = nn.Linear(dim, 1)

    def forward(self, elements, bonds):
        x = self.emb(elements)
        for layer in self.layers:
            x = layer(x, bonds)
        return self.out(x.mean(1)).squeeze(-1)
