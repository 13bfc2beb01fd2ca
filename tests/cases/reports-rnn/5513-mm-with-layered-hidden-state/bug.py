import torch
from torch import nn
import torch.nn.functional as F


class BiLSTM_Attention(nn.Module):
    def __init__(self, vocab_size, embedding_dim, n_hidden, num_classes):
        super(BiLSTM_Attention, self).__init__()
        self.n_hidden = n_hidden
        self.embedding = nn.Embedding(vocab_size, embedding_dim)
        self.gru = nn.GRU(embedding_dim, n_hidden)
        self.W_q = nn.Parameter(torch.empty(n_hidden, n_hidden))
        nn.init.xavier_uniform_(self.W_q)
        self.out = nn.Linear(2 * n_hidden, num_classes)

    def attention_net(self, gru_output, final_state):
        # gru_output : [batch_size, seq_len, n_hidden]
        query = torch.mm(final_state, self.W_q)
        scores = torch.bmm(gru_output, query.unsqueeze(2)).squeeze(2)
        soft_attn_weights = F.softmax(scores, dim=1)
        context = torch.bmm(gru_output.transpose(1, 2), soft_attn_weights.unsqueeze(2)).squeeze(2)
        return torch.cat([context, query], dim=1), soft_attn_weights

    def forward(self, X):
        input = self.embedding(X).transpose(0, 1)
        output, final_hidden = self.gru(input)
        output = output.transpose(0, 1)
        attn_output, attention = self.attention_net(output, final_hidden)
        return self.out(attn_output), attention


if __name__ == '__main__':
    sentences = torch.tensor([[0, 1, 2], [3, 4, 5], [6, 1, 7], [8, 9, 5]])
    model = BiLSTM_Attention(vocab_size=10, embedding_dim=4, n_hidden=6, num_classes=2)
    logits, attention = model(sentences)
    print(F.softmax(logits, dim=1), attention)
