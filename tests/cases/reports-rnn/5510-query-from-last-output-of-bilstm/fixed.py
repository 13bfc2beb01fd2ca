import torch
import torch.nn as nn
import torch.nn.functional as F


class QuestionMatcher(nn.Module):
    """Summarises the answer under the question: dot attention of a BiLSTM over another one."""

    def __init__(self, vocab, emb, hid):
        super().__init__()
        self.emb = nn.Embedding(vocab, emb)
        self.q_lstm = nn.LSTM(emb, hid, batch_first=True, bidirectional=True)
        self.a_lstm = nn.LSTM(emb, hid, batch_first=True, bidirectional=True)
        self.bilinear = nn.Linear(2 * hid, 2 * hid, bias=False)

    def question_vector(self, question):
        out, (h, c) = self.q_lstm(self.emb(question))
        return torch.cat([h[0], h[1]], dim=1)

    def forward(self, question, answer):
        q = self.question_vector(question)
        a, _ = self.a_lstm(self.emb(answer))
        score = torch.bmm(self.bilinear(a), q.unsqueeze(2)).squeeze(2)
        weight = F.softmax(score, dim=1)
        summary = torch.bmm(weight.unsqueeze(1), a).squeeze(1)
        return F.cosine_similarity(q, summary), weight


if __name__ == "__main__":
    net = QuestionMatcher(200, 16, 12)
    sim, weight = net(torch.randint(0, 200, (4, 6)), torch.randint(0, 200, (4, 15)))
    print(sim, weight.sum(1))
