import torch
import torch.nn as nn


class EncoderLayer(nn.Module):
    def __init__(self, d_model, num_heads, conv_hidden_dim, p=0.0):
        super().__init__()
        self.mha = nn.MultiheadAttention(d_model, num_heads, dropout=p, batch_first=True)
        self.cnn = nn.Sequential(nn.Linear(d_model, conv_hidden_dim), nn.ReLU(), nn.Linear(conv_hidden_dim, d_model))
        self.layernorm1 = nn.LayerNorm(d_model, eps=1e-6)
        self.layernorm2 = nn.LayerNorm(d_model, eps=1e-6)

    def forward(self, x):
        attn_output, _ = self.mha(x, x, x)
        out1 = self.layernorm1(x + attn_output)
        cnn_output = self.cnn(out1)
        return self.layernorm2(out1 + cnn_output)


class Encoder(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, ff_hidden_dim, input_vocab_size, maximum_position_encoding):
        super().__init__()
        self.num_layers = num_layers
        self.word_embeddings = nn.Embedding(input_vocab_size, d_model, padding_idx=1)
        self.position_embeddings = nn.Embedding(maximum_position_encoding, d_model)
        self.enc_layers = nn.ModuleList()
        for _ in range(num_layers):
            self.enc_layers.append(EncoderLayer(d_model, num_heads, ff_hidden_dim))

    def embed(self, ids):
        positions = torch.arange(ids.size(1), device=ids.device)
        return self.word_embeddings(ids) + self.position_embeddings(positions)

    def forward(self, ids):
        x = self.embed(ids)  # (batch_size, input_seq_len, d_model)

        for i in range(self.num_layers):
            x = self.enc_layers[i](x)

        return x  # (batch_size, input_seq_len, d_model)


class TransformerClassifier(nn.Module):
    def __init__(self, num_layers, d_model, num_heads, conv_hidden_dim, input_vocab_size, num_answers):
        super().__init__()
        self.encoder = Encoder(num_layers, d_model, num_heads, conv_hidden_dim, input_vocab_size, 200)
        self.dense = nn.Linear(d_model, num_answers)

    def forward(self, ids):
        x = self.encoder(ids)
        x, _ = torch.max(x, dim=1)
        return self.dense(x)


if __name__ == "__main__":
    model = TransformerClassifier(2, 32, 2, 128, 5000, 2)
    print(model(torch.randint(0, 5000, (4, 50))).shape)
