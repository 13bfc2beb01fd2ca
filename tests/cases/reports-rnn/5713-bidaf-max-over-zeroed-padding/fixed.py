import torch
import torch.nn as nn

VERY_NEGATIVE = -1e30


def masked_softmax(vector, mask, dim=-1):
    return torch.softmax(vector.masked_fill(~mask, VERY_NEGATIVE), dim=dim)


class AttentionFlow(nn.Module):
    """
    Bidirectional attention flow between passage and question encodings.

    passage, question : (batch, n_p, 2h) and (batch, n_q, 2h), outputs of the phrase LSTMs
    p_mask, q_mask    : bool, True for words
    returns             (batch, n_p, 8h)
    """

    def __init__(self, dim):
        super().__init__()
        self.w_p = nn.Linear(dim, 1, bias=False)
        self.w_q = nn.Linear(dim, 1, bias=False)
        self.w_pq = nn.Parameter(torch.randn(dim) / dim ** 0.5)

    def similarity(self, passage, question):
        mixed = torch.matmul(passage * self.w_pq, question.transpose(1, 2))
        return self.w_p(passage) + self.w_q(question).transpose(1, 2) + mixed

    def forward(self, passage, question, p_mask, q_mask):
        sim = self.similarity(passage, question)

        p2q = masked_softmax(sim, q_mask.unsqueeze(1))
        attended_question = torch.bmm(p2q, question)

        sim_for_max = sim.masked_fill(~q_mask.unsqueeze(1), VERY_NEGATIVE)
        best = sim_for_max.max(dim=-1)[0]
        q2p = masked_softmax(best, p_mask)
        attended_passage = torch.bmm(q2p.unsqueeze(1), passage).expand_as(passage)

        return torch.cat(
            [passage, attended_question, passage * attended_question, passage * attended_passage],
            dim=-1,
        )
