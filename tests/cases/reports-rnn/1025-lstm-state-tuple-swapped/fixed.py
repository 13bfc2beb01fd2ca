import torch
import torch.nn as nn
import torch.nn.functional as F


class LSTMAttention(nn.Module):
    """Text classifier: LSTM + attention of the final hidden state over all the outputs."""

    def __init__(self, vocab_size, embedding_length, hidden_size, output_size):
        super().__init__()
        self.word_embeddings = nn.Embedding(vocab_size, embedding_length)
        self.lstm = nn.LSTM(embedding_length, hidden_size, batch_first=True)
        self.label = nn.Linear(hidden_size, output_size)

    def attention_net(self, lstm_output, final_state):
        """
        lstm_output : (batch_size, num_seq, hidden_size)
        final_state : (1, batch_size, hidden_size)
        """
        hidden = final_state.squeeze(0)
        attn_weights = torch.bmm(lstm_output, hidden.unsqueeze(2)).squeeze(2)
        soft_attn_weights = F.softmax(attn_weights, 1)
        return torch.bmm(lstm_output.transpose(1, 2), soft_attn_weights.unsqueeze(2)).squeeze(2)

    def forward(self, input_sentences):
        embedded = self.word_embeddings(input_sentences)
        output, (final_hidden_state, final_cell_state) = self.lstm(embedded)
        attn_output = self.attention_net(output, final_hidden_state)
        return self.label(attn_output)
