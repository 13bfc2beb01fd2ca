import torch
import torch.nn as nn
import torch.nn.functional as F


class LuongDecoderRNN(nn.Module):
    def __init__(self, voc_size, hidden_size):
        super().__init__()
        self.embedding = nn.Embedding(voc_size, hidden_size)
        self.gru = nn.GRU(hidden_size, hidden_size)
        self.concat = nn.Linear(hidden_size * 2, hidden_size)
        self.out = nn.Linear(hidden_size, voc_size)

    def forward(self, input_step, last_hidden, encoder_outputs):
        rnn_output, hidden = self.gru(self.embedding(input_step), last_hidden)
        energies = torch.sum(rnn_output * encoder_outputs, dim=2).t()
        attn_weights = F.softmax(energies, dim=1).unsqueeze(1)
        context = attn_weights.bmm(encoder_outputs.transpose(0, 1)).squeeze(1)
        concat_output = torch.tanh(self.concat(torch.cat((rnn_output.squeeze(0), context), 1)))
        return F.softmax(self.out(concat_output), dim=1), hidden


def mask_nll_loss(inp, target, mask):
    n_total = mask.sum()
    cross_entropy = -torch.log(torch.gather(inp, 1, target.view(-1, 1)))
    loss = cross_entropy.masked_select(mask).mean()
    return loss, n_total.item()


def train_batch(decoder, encoder_outputs, hidden, target_variable, mask, sos=1):
    """target_variable and mask are (max_target_len, batch_size)"""
    loss, n_totals = 0, 0
    decoder_input = torch.full((1, target_variable.size(1)), sos, dtype=torch.long)
    for t in range(target_variable.size(0)):
        probs, hidden = decoder(decoder_input, hidden, encoder_outputs)
        decoder_input = target_variable[t].view(1, -1)
        mask_loss, n_total = mask_nll_loss(probs, target_variable[t], mask[t])
        loss = loss + mask_loss
        n_totals += n_total
    return loss, n_totals
