import torch
import torch.nn as nn


class InnerAttentionEncoder(nn.Module):
    """Two attention views (context vector, mean) over a BiLSTM."""

    def __init__(self, emb, hidden):
        super().__init__()
        self.enc_lstm = nn.LSTM(emb, hidden, 1, bidirectional=True)
        self.proj_key = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.proj_query = nn.Linear(2 * hidden, 2 * hidden, bias=False)
        self.query = nn.Embedding(2, 2 * hidden)
        self.softmax = nn.Softmax(dim=1)
        self.last_alphas = None

    def attend(self, key, query, states, mask):
        # key: bsize x seqlen x 2d, query: bsize x 2d
        scores = key.bmm(query.unsqueeze(2))
        scores = scores.masked_fill(~mask.unsqueeze(2), -1e4)
        alphas = self.softmax(scores)                       # bsize x seqlen x 1
        return (alphas * states).sum(1), alphas

    def forward(self, sent, sent_len):
        bsize = sent.size(1)
        states = self.enc_lstm(sent)[0].transpose(0, 1).contiguous()
        mask = torch.arange(sent.size(0))[None, :] < sent_len[:, None]
        key = torch.tanh(self.proj_key(states))

        query1 = self.query(torch.zeros(bsize, dtype=torch.long))
        emb1, alphas1 = self.attend(key, query1, states, mask)
        query2 = self.proj_query(states.mean(1))
        emb2, alphas2 = self.attend(key, query2, states, mask)

        # kept for the plots: seqlen x 2 of the first sentence
        first1, first2 = alphas1.detach()[0, :, 0], alphas2.detach()[0, :, 0]
        self.last_alphas = torch.cat((first1, first2), 1)
        return torch.cat((emb1, emb2), 1)


if __name__ == "__main__":
    net = InnerAttentionEncoder(300, 64)
    premise = torch.randn(12, 16, 300)
    lengths = torch.randint(3, 13, (16,))
    print(net(premise, lengths).shape)
