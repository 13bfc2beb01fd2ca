import torch
import torch.nn as nn
import torch.nn.functional as F


class Decoder(nn.Module):
    def __init__(self, input_size, nhid, bidirectional_encoder):
        super().__init__()
        self.bidirectional_encoder = bidirectional_encoder
        self.rnn = nn.LSTM(input_size, nhid, batch_first=True)
        self.attn_in = nn.Linear(nhid, nhid, bias=False)
        self.attn_out = nn.Linear(2 * nhid, nhid, bias=False)

    def _fix_enc_hidden(self, hidden):
        # The encoder hidden is (layers*directions) x batch x dim.
        if self.bidirectional_encoder:
            hidden = torch.cat([hidden[0:hidden.size(0):2], hidden[1:hidden.size(0):2]], 2)
        return hidden

    def init_state(self, states):
        return tuple(self._fix_enc_hidden(s) for s in states)

    def forward(self, tgt, state, memory_bank):
        output, state = self.rnn(tgt, state)
        align = F.softmax(torch.bmm(self.attn_in(output), memory_bank.transpose(1, 2)), dim=-1)
        context = torch.bmm(align, memory_bank)
        return torch.tanh(self.attn_out(torch.cat((context, output), 2))), state


class QuerySuggester(nn.Module):
    """Hierarchical encoder-decoder: words -> queries -> session -> next query."""

    def __init__(self, vocab, emb, nhid, bidirection=True):
        super().__init__()
        self.embedder = nn.Embedding(vocab, emb, padding_idx=0)
        self.query_encoder = nn.LSTM(emb, nhid // 2 if bidirection else nhid, batch_first=True, bidirectional=bidirection)
        self.session_encoder = nn.LSTM(nhid, nhid, batch_first=True)
        self.decoder = Decoder(emb, nhid, bidirectional_encoder=bidirection)
        self.generator = nn.Linear(nhid, vocab)

    def forward(self, session, target):
        bsz, n_query, qlen = session.size()
        memory, _ = self.query_encoder(self.embedder(session.view(bsz * n_query, qlen)))
        queries = memory.max(dim=1)[0].view(bsz, n_query, -1)
        _, states = self.session_encoder(queries)
        last = memory.view(bsz, n_query, qlen, -1)[:, -1]
        output, _ = self.decoder(self.embedder(target), self.decoder.init_state(states), last)
        return self.generator(output)


if __name__ == "__main__":
    model = QuerySuggester(300, 32, 64)
    print(model(torch.randint(1, 300, (4, 3, 6)), torch.randint(1, 300, (4, 5))).shape)
