import torch
import torch.nn as nn


class MemN2N(nn.Module):
    def __init__(self, params):
        super().__init__()
        vocab, dim, self.hops = params["n_words"], params["dim"], params["hops"]
        self.emb = nn.ModuleList(nn.Embedding(vocab, dim, padding_idx=0) for _ in range(self.hops + 1))
        for e in self.emb:
            nn.init.normal_(e.weight, 0, 0.1)
        self.H = nn.Linear(dim, dim)

    def forward(self, story, question):
        # story: batch x sentences x words, question: batch x words
        u = self.emb[0](question).sum(dim=1)
        for k in range(self.hops):
            m = self.memory(self.emb[k], story)
            c = self.memory(self.emb[k + 1], story)
            p = torch.softmax(torch.einsum("bsd,bd->bs", m, u), dim=1)
            o = torch.einsum("bs,bsd->bd", p, c)
            u = self.H(u) + o
        return u @ self.emb[-1].weight.t()

    def memory(self, table, story):
        words = table(story)
        return words.sum(dim=2)


params = {"n_words": 40, "dim": 20, "hops": 3}

if __name__ == "__main__":
    torch.manual_seed(1)
    net = MemN2N(params)
    story = torch.randint(1, params["n_words"], (8, 10, 6))
    question = torch.randint(1, params["n_words"], (8, 4))
    answer = torch.randint(1, params["n_words"], (8,))
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for step in range(3):
        loss = nn.functional.cross_entropy(net(story, question), answer)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 40)
        opt.step()
        print(step, loss.item())
