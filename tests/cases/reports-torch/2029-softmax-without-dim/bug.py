import torch
import torch.nn as nn
import torch.nn.functional as F


class RelationModule(nn.Module):
    """Relations between object proposals, several relation heads in parallel."""

    def __init__(self, feat_dim, key_dim, n_relations):
        super(RelationModule, self).__init__()
        self.n_relations = n_relations
        self.key_dim = key_dim
        self.WQ = nn.Linear(feat_dim, n_relations * key_dim)
        self.WK = nn.Linear(feat_dim, n_relations * key_dim)
        self.WV = nn.Linear(feat_dim, feat_dim)

    def _split(self, t, n_img, n_obj):
        return t.view(n_img, n_obj, self.n_relations, -1).permute(0, 2, 1, 3)

    def forward(self, f_a):
        n_img, n_obj, feat_dim = f_a.shape

        w_q = self._split(self.WQ(f_a), n_img, n_obj)
        w_k = self._split(self.WK(f_a), n_img, n_obj)
        w_v = self._split(self.WV(f_a), n_img, n_obj)

        dot = torch.matmul(w_q, w_k.permute(0, 1, 3, 2))
        w_a = dot / (self.key_dim ** 0.5)
        w_mn = F.softmax(w_a)

        output = torch.matmul(w_mn, w_v)
        output = output.permute(0, 2, 1, 3).contiguous().view(n_img, n_obj, feat_dim)
        return output + f_a


if __name__ == '__main__':
    rm = RelationModule(128, 32, 4)
    print(rm(torch.rand(2, 10, 128)).size())
