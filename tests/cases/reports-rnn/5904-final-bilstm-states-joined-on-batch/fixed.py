import torch
import torch.nn as nn
import torch.nn.functional as F


class NewsClassifier(nn.Module):

    def __init__(self, vocab_size, embed_dim, hidden_dim, n_classes):
        super(NewsClassifier, self).__init__()
        self.embedding = nn.Embedding(vocab_size, embed_dim, padding_idx=0)
        self.bilstm = nn.LSTM(embed_dim, hidden_dim, num_layers=2, bidirectional=True,
                              batch_first=True, dropout=0.2)
        self.W = nn.Linear(2 * hidden_dim, 2 * hidden_dim, bias=False)
        self.fc = nn.Linear(4 * hidden_dim, n_classes)

    def forward(self, tokens):
        output, (h_n, c_n) = self.bilstm(self.embedding(tokens))

        # query: last hidden state, forward + backward
        query = torch.cat((h_n[-2], h_n[-1]), dim=1)

        scores = torch.bmm(output, self.W(query).unsqueeze(2)).squeeze(2)
        scores = scores.masked_fill(tokens == 0, -1e9)
        attn = F.softmax(scores, dim=1)
        context = torch.bmm(attn.unsqueeze(1), output).squeeze(1)
        return self.fc(torch.cat((query, context), dim=1)), attn


if __name__ == '__main__':
    net = NewsClassifier(vocab_size=5000, embed_dim=50, hidden_dim=64, n_classes=4)
    batch = torch.randint(1, 5000, (16, 40))
    logits, attn = net(batch)
    print(logits.shape, attn.shape)
