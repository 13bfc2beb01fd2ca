import torch
import torch.nn as nn
import torch.nn.functional as F


class GraphAttentionLayer(nn.Module):
    """GAT layer, now for a batch of graphs with the same number of joints (was N x F before)."""

    def __init__(self, in_features, out_features, alpha=0.2):
        super(GraphAttentionLayer, self).__init__()
        self.W = nn.Linear(in_features, out_features, bias=False)
        self.a_self = nn.Linear(out_features, 1, bias=False)
        self.a_neigh = nn.Linear(out_features, 1, bias=False)
        self.leakyrelu = nn.LeakyReLU(alpha)

    def forward(self, input, adj):
        h = self.W(input)                                       # B, N, F'
        e = self.a_self(h) + self.a_neigh(h).transpose(1, 2)    # B, N, N
        e = self.leakyrelu(e)

        zero_vec = -9e15 * torch.ones_like(e)
        attention = torch.where(adj > 0, e, zero_vec)
        attention = F.softmax(attention, dim=2)
        h_prime = torch.matmul(attention, h)
        return F.elu(h_prime)


class SkeletonGAT(nn.Module):
    def __init__(self, nfeat, nhid, nclass, nheads):
        super().__init__()
        self.attentions = nn.ModuleList([GraphAttentionLayer(nfeat, nhid) for _ in range(nheads)])
        self.fc = nn.Linear(nhid * nheads, nclass)

    def forward(self, x, adj):
        x = torch.cat([att(x, adj) for att in self.attentions], dim=2)
        return self.fc(x.mean(dim=1))


if __name__ == "__main__":
    joints = 17
    adj = torch.eye(joints) + torch.diag(torch.ones(joints - 1), 1) + torch.diag(torch.ones(joints - 1), -1)
    model = SkeletonGAT(nfeat=3, nhid=8, nclass=10, nheads=4)
    print(model(torch.randn(32, joints, 3), adj).shape)
