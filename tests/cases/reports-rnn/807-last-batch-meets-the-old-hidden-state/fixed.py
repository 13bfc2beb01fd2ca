import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class WordAttNet(nn.Module):
    def __init__(self, vocab, embed, hidden):
        super().__init__()
        self.lookup = nn.Embedding(vocab, embed)
        self.gru = nn.GRU(embed, hidden, bidirectional=True)
        self.fc = nn.Linear(2 * hidden, 2 * hidden)
        self.context = nn.Linear(2 * hidden, 1, bias=False)

    def forward(self, words, hidden_state):
        f_output, h_output = self.gru(self.lookup(words), hidden_state)
        weights = F.softmax(self.context(torch.tanh(self.fc(f_output))), dim=0)
        return (weights * f_output).sum(0), h_output


class HierAttNet(nn.Module):
    def __init__(self, vocab, num_classes, batch_size, embed=16, word_hidden=12, sent_hidden=12):
        super().__init__()
        self.batch_size, self.word_hidden, self.sent_hidden = batch_size, word_hidden, sent_hidden
        self.word_att_net = WordAttNet(vocab, embed, word_hidden)
        self.gru = nn.GRU(2 * word_hidden, sent_hidden, bidirectional=True)
        self.context = nn.Sequential(nn.Linear(2 * sent_hidden, 2 * sent_hidden), nn.Tanh(), nn.Linear(2 * sent_hidden, 1, bias=False))
        self.fc = nn.Linear(2 * sent_hidden, num_classes)
        self.init_hidden_state()

    def init_hidden_state(self, last_batch_size=None):
        batch_size = last_batch_size or self.batch_size
        self.word_hidden_state = torch.zeros(2, batch_size, self.word_hidden)
        self.sent_hidden_state = torch.zeros(2, batch_size, self.sent_hidden)

    def forward(self, documents):
        sentences = []
        for words in documents.permute(1, 2, 0):
            output, self.word_hidden_state = self.word_att_net(words, self.word_hidden_state)
            sentences.append(output)
        f_output, self.sent_hidden_state = self.gru(torch.stack(sentences), self.sent_hidden_state)
        weights = F.softmax(self.context(f_output), dim=0)
        return self.fc((weights * f_output).sum(0))


def train_epoch(model, dataset, lr=1e-2):
    optimizer, total = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9), 0.0
    for feature, label in DataLoader(dataset, batch_size=model.batch_size, shuffle=True):
        optimizer.zero_grad()
        model.init_hidden_state(len(feature))
        loss = F.cross_entropy(model(feature), label)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total


if __name__ == "__main__":
    docs = TensorDataset(torch.randint(0, 40, (10, 3, 6)), torch.randint(0, 5, (10,)))
    print(train_epoch(HierAttNet(40, 5, batch_size=4), docs))
