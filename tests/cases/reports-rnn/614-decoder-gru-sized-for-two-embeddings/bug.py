import torch
from torch import nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, drop_prob=0.0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.rnn = nn.GRU(embed_size, num_hiddens, num_layers, dropout=drop_prob)

    def forward(self, inputs, state=None):
        return self.rnn(self.embedding(inputs.long()).permute(1, 0, 2), state)


def attention_model(input_size, attention_size):
    return nn.Sequential(nn.Linear(input_size, attention_size, bias=False), nn.Tanh(), nn.Linear(attention_size, 1, bias=False))


def attention_forward(model, enc_states, dec_state):
    """enc_states: (steps, batch, hidden), dec_state: (batch, hidden)"""
    dec_states = dec_state.unsqueeze(dim=0).expand_as(enc_states)
    e = model(torch.cat((enc_states, dec_states), dim=2))   # (steps, batch, 1)
    alpha = F.softmax(e, dim=0)
    return (alpha * enc_states).sum(dim=0)


class Decoder(nn.Module):
    def __init__(self, vocab_size, embed_size, num_hiddens, num_layers, attention_size, drop_prob=0.0):
        super().__init__()
        self.embedding = nn.Embedding(vocab_size, embed_size)
        self.attention = attention_model(2 * num_hiddens, attention_size)
        self.rnn = nn.GRU(2 * embed_size, num_hiddens, num_layers, dropout=drop_prob)
        self.out = nn.Linear(num_hiddens, vocab_size)

    def forward(self, cur_input, state, enc_states):
        c = attention_forward(self.attention, enc_states, state[-1])
        input_and_c = torch.cat((self.embedding(cur_input), c), dim=1)
        output, state = self.rnn(input_and_c.unsqueeze(0), state)
        return self.out(output).squeeze(dim=0), state


def batch_loss(encoder, decoder, X, Y, bos, pad):
    enc_outputs, state = encoder(X)
    dec_input = torch.full((X.shape[0],), bos)
    l, n = torch.tensor(0.0), 0
    for y in Y.permute(1, 0):
        dec_output, state = decoder(dec_input, state, enc_outputs)
        mask = (y != pad).float()
        l = l + (mask * F.cross_entropy(dec_output, y, reduction="none")).sum()
        dec_input, n = y, n + mask.sum().item()
    return l / n


if __name__ == "__main__":
    encoder, decoder = Encoder(45, 32, 64, 2), Decoder(40, 32, 64, 2, attention_size=10)
    print(batch_loss(encoder, decoder, torch.randint(3, 45, (2, 7)), torch.randint(3, 40, (2, 7)), bos=1, pad=0))
