import torch
import torch.nn as nn


class Attention(nn.Module):
    def __init__(self, speller_dim, listener_dim, mlp_dim):
        super(Attention, self).__init__()
        self.phi = nn.Linear(speller_dim, mlp_dim, bias=False)
        self.psi = nn.Linear(listener_dim, mlp_dim, bias=False)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, decoder_state, listener_feature):
        comp_decoder_state = torch.relu(self.phi(decoder_state))  # (B, 1, mlp)
        comp_listener_feature = torch.relu(self.psi(listener_feature))  # (B, T, mlp)
        energy = torch.bmm(comp_decoder_state, comp_listener_feature.transpose(1, 2)).squeeze(1)
        attention_score = self.softmax(energy)
        context = torch.sum(listener_feature * attention_score.unsqueeze(1), dim=1)
        return attention_score, context


class Speller(nn.Module):
    def __init__(self, vocab, dim, listener_dim):
        super().__init__()
        self.rnn_layer = nn.LSTM(vocab + listener_dim, dim, batch_first=True)
        self.attention = Attention(dim, listener_dim, 32)
        self.character_distribution = nn.Linear(dim + listener_dim, vocab)

    def forward_step(self, input_word, last_hidden_state, listener_feature):
        rnn_output, hidden_state = self.rnn_layer(input_word, last_hidden_state)
        attention_score, context = self.attention(rnn_output, listener_feature)
        concat_feature = torch.cat([rnn_output.squeeze(dim=1), context], dim=-1)
        return torch.log_softmax(self.character_distribution(concat_feature), dim=-1), hidden_state, context, attention_score


if __name__ == '__main__':
    speller = Speller(vocab=12, dim=16, listener_dim=20)
    feats = torch.randn(3, 50, 20)
    x = torch.cat([torch.zeros(3, 1, 12), feats[:, 0:1, :]], dim=-1)
    print(speller.forward_step(x, None, feats)[0].shape)
