import torch
import torch.nn as nn


class Hop(nn.Module):
    def __init__(self, dim, att_dim):
        super().__init__()
        self.img = nn.Linear(dim, att_dim, bias=False)
        self.ques = nn.Linear(dim, att_dim)
        self.p = nn.Linear(att_dim, 1)

    def forward(self, regions, u):
        h = torch.tanh(self.img(regions) + self.ques(u).unsqueeze(1))
        p = torch.softmax(self.p(h), dim=1)
        return (p * regions).sum(dim=1), p.squeeze(2)


class StackedAttentionVQA(nn.Module):
    """
    Yang et al.: the query of hop k + 1 is u_k = v_k + u_{k-1}, and u_0 is the question.
    """

    def __init__(self, vocab, n_answers, word_dim=64, dim=128, feat_dim=512, hops=2):
        super().__init__()
        self.words = nn.Embedding(vocab, word_dim, padding_idx=0)
        self.lstm = nn.LSTM(word_dim, dim, batch_first=True)
        self.feat = nn.Linear(feat_dim, dim)
        self.hops = nn.ModuleList([Hop(dim, dim) for _ in range(hops)])
        self.answer = nn.Linear(dim, n_answers)

    def forward(self, feats, question):
        regions = torch.tanh(self.feat(feats))
        _, (h_n, _) = self.lstm(self.words(question))
        q = h_n[-1]
        u = q
        maps = []
        for hop in self.hops:
            v, p = hop(regions, q)
            u = u + v
            maps.append(p)
        return self.answer(u), torch.stack(maps, dim=1)


if __name__ == "__main__":
    net = StackedAttentionVQA(1000, 50)
    logits, maps = net(torch.randn(2, 196, 512), torch.randint(1, 1000, (2, 9)))
    print(logits.shape, maps.shape)
