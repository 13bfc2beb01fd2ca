import torch
from torch import nn


class BertStyleAttention(nn.Module):
    """Self attention, or cross attention when encoder_hidden_states are given."""

    def __init__(self, hidden_size, num_attention_heads):
        super().__init__()
        self.head_dim = hidden_size // num_attention_heads
        self.scaling = self.head_dim ** -0.5
        self.query = nn.Linear(hidden_size, hidden_size)
        self.key = nn.Linear(hidden_size, hidden_size)
        self.value = nn.Linear(hidden_size, hidden_size)
        self.dense = nn.Linear(hidden_size, hidden_size)

    def forward(self, hidden_states, encoder_hidden_states=None, attention_mask=None):
        input_shape = hidden_states.shape[:-1]
        hidden_shape = (*input_shape, -1, self.head_dim)
        current_states = hidden_states if encoder_hidden_states is None else encoder_hidden_states

        query_layer = self.query(hidden_states).view(hidden_shape).transpose(1, 2)
        key_layer = self.key(current_states).view(hidden_shape).transpose(1, 2)
        value_layer = self.value(current_states).view(hidden_shape).transpose(1, 2)

        scores = torch.matmul(query_layer, key_layer.transpose(2, 3)) * self.scaling
        if attention_mask is not None:
            scores = scores + attention_mask
        probs = nn.functional.softmax(scores, dim=-1)
        context = torch.matmul(probs, value_layer).transpose(1, 2).reshape(*input_shape, -1)
        return self.dense(context)


if __name__ == "__main__":
    attn = BertStyleAttention(64, 4)
    text, table = torch.randn(2, 4, 64), torch.randn(2, 7, 64)
    print(attn(text).shape)
    print(attn(text, table).shape)
