import torch
import torch.nn as nn


class bilstm_attn(torch.nn.Module):
    def __init__(self, batch_size, hidden_size, vocab_size, embed_dim, bidirectional, attention_size, sequence_length, output_size=2):
        super(bilstm_attn, self).__init__()
        self.batch_size = batch_size
        self.hidden_size = hidden_size
        self.sequence_length = sequence_length
        self.layer_size = 2 if bidirectional else 1
        self.lookup_table = nn.Embedding(vocab_size, embed_dim)
        self.lstm = nn.LSTM(embed_dim, hidden_size, 1, bidirectional=bidirectional)
        self.w_omega = nn.Parameter(torch.randn(hidden_size * self.layer_size, attention_size))
        self.u_omega = nn.Parameter(torch.randn(attention_size))
        self.label = nn.Linear(hidden_size * self.layer_size, output_size)

    def attention_net(self, lstm_output):
        # lstm_output: (sequence_length, batch_size, hidden_size*layer_size)
        output_reshape = torch.reshape(lstm_output, [-1, self.hidden_size * self.layer_size])
        attn_tanh = torch.tanh(torch.mm(output_reshape, self.w_omega))
        attn_hidden_layer = torch.mm(attn_tanh, torch.reshape(self.u_omega, [-1, 1]))
        exps = torch.reshape(torch.exp(attn_hidden_layer), [-1, self.sequence_length])
        alphas = exps / torch.reshape(torch.sum(exps, 1), [-1, 1])
        alphas_reshape = torch.reshape(alphas, [-1, self.sequence_length, 1])
        state = lstm_output.permute(1, 0, 2)
        attn_output = torch.sum(state * alphas_reshape, 1)
        return attn_output

    def forward(self, input_sentences):
        input = self.lookup_table(input_sentences)
        input = input.permute(1, 0, 2)
        lstm_output, (final_hidden_state, final_cell_state) = self.lstm(input)
        attn_output = self.attention_net(lstm_output)
        logits = self.label(attn_output)
        return logits


if __name__ == "__main__":
    model = bilstm_attn(4, 6, 50, 8, True, 5, 7)
    print(model(torch.randint(0, 50, (4, 7))).size())
