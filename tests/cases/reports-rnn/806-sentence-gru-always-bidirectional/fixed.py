import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionWordRNN(nn.Module):
    def __init__(self, num_tokens, embed_size, word_gru_hidden, bidirectional=True):
        super().__init__()
        width = word_gru_hidden * (2 if bidirectional else 1)
        self.lookup = nn.Embedding(num_tokens, embed_size)
        self.word_gru = nn.GRU(embed_size, word_gru_hidden, bidirectional=bidirectional)
        self.weight_W_word = nn.Linear(width, width)
        self.weight_proj_word = nn.Parameter(torch.empty(width, 1).uniform_(-0.1, 0.1))

    def forward(self, words):
        output, _ = self.word_gru(self.lookup(words))        # (words, batch, width)
        squish = torch.tanh(self.weight_W_word(output))
        weights = F.softmax(squish @ self.weight_proj_word, dim=0)
        return (weights * output).sum(0)


class AttentionSentRNN(nn.Module):
    def __init__(self, sent_gru_hidden, word_gru_hidden, n_classes, bidirectional=True):
        super().__init__()
        self.bidirectional = bidirectional
        if bidirectional:
            self.sent_gru = nn.GRU(2 * word_gru_hidden, sent_gru_hidden, bidirectional=True)
            self.weight_W_sent = nn.Linear(2 * sent_gru_hidden, 2 * sent_gru_hidden)
            self.weight_proj_sent = nn.Parameter(torch.empty(2 * sent_gru_hidden, 1).uniform_(-0.1, 0.1))
            self.final_linear = nn.Linear(2 * sent_gru_hidden, n_classes)
        else:
            self.sent_gru = nn.GRU(word_gru_hidden, sent_gru_hidden, bidirectional=False)
            self.weight_W_sent = nn.Linear(sent_gru_hidden, sent_gru_hidden)
            self.weight_proj_sent = nn.Parameter(torch.empty(sent_gru_hidden, 1).uniform_(-0.1, 0.1))
            self.final_linear = nn.Linear(sent_gru_hidden, n_classes)

    def forward(self, sentence_vectors):
        output, _ = self.sent_gru(sentence_vectors)
        squish = torch.tanh(self.weight_W_sent(output))
        weights = F.softmax(squish @ self.weight_proj_sent, dim=0)
        return self.final_linear((weights * output).sum(0)), weights.squeeze(2).t()


def classify(word_rnn, sent_rnn, documents):
    """documents: (sentences, words, batch)"""
    vectors = torch.stack([word_rnn(sentence) for sentence in documents])
    return sent_rnn(vectors)
