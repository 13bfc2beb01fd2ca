import torch
import torch.nn as nn


class Seq2SeqAttention(nn.Module):
    def __init__(self, hidden_size):
        super(Seq2SeqAttention, self).__init__()
        self.energy = nn.Linear(hidden_size * 3, 1)
        self.softmax = nn.Softmax(dim=1)
        self.relu = nn.ReLU()

    def forward(self, hidden, encoder_states, mask):
        # hidden: (N, hidden_size), encoder_states: (N, seq_length, hidden_size*2), mask: (N, seq_length)
        seq_length = encoder_states.shape[1]
        h_reshaped = hidden.unsqueeze(1).repeat(1, seq_length, 1)
        energy = self.relu(self.energy(torch.cat((h_reshaped, encoder_states), dim=2)))
        energy = energy.masked_fill(mask.unsqueeze(2) == 0, float("-1e20"))
        attention = self.softmax(energy)
        # attention: (N, seq_length, 1)
        context_vector = torch.bmm(attention.permute(0, 2, 1), encoder_states)
        return context_vector, attention


if __name__ == "__main__":
    N, T, H = 4, 9, 16
    attn = Seq2SeqAttention(H)
    mask = torch.ones(N, T)
    mask[1, 5:] = 0
    c, a = attn(torch.randn(N, H), torch.randn(N, T, 2 * H), mask)
    print(c.shape, a.shape)
