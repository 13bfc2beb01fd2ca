import torch
import torch.nn as nn


class Attention(nn.Module):
    """Applies attention mechanism on the `context` using the `query`.

    query   [batch size, output length, dimensions]
    context [batch size, query length, dimensions]
    """

    def __init__(self, dimensions, attention_type='general'):
        super().__init__()
        if attention_type not in ['dot', 'general']:
            raise ValueError('Invalid attention type selected.')
        self.attention_type = attention_type
        if attention_type == 'general':
            self.linear_in = nn.Linear(dimensions, dimensions, bias=False)
        self.linear_out = nn.Linear(dimensions * 2, dimensions, bias=False)
        self.softmax = nn.Softmax(dim=-1)

    def forward(self, query, context):
        batch_size, output_len, dimensions = query.size()
        query_len = context.size(1)

        if self.attention_type == 'general':
            query = self.linear_in(query)

        attention_scores = torch.bmm(query, context.transpose(1, 2).contiguous())

        # weights across every context sequence
        attention_scores = attention_scores.view(batch_size * output_len, query_len)
        attention_weights = self.softmax(attention_scores)
        attention_weights = attention_weights.view(batch_size, output_len, query_len)

        mix = torch.bmm(attention_weights, context)
        combined = torch.cat((mix, query), dim=2)
        return torch.tanh(self.linear_out(combined)), attention_weights


if __name__ == '__main__':
    attention = Attention(256)
    query = torch.randn(5, 1, 256)
    context = torch.randn(5, 7, 256)
    output, weights = attention(query, context)
    print(output.size(), weights.size())
