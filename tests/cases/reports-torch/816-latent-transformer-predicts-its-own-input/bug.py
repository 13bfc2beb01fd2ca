import torch
import torch.nn as nn
import torch.nn.functional as F


class Block(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(b, t, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.proj(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.norm2(x))


class DecoderOnlyTransformer(nn.Module):
    def __init__(self, num_tokens, max_seq_len, dim=32, depth=2, heads=4):
        super().__init__()
        self.token_embeddings = nn.Embedding(num_tokens, dim)
        self.position_embeddings = nn.Embedding(max_seq_len, dim)
        self.blocks = nn.Sequential(*[Block(dim, heads) for _ in range(depth)])
        self.to_logits = nn.Linear(dim, num_tokens)

    def forward(self, x):
        positions = torch.arange(x.shape[1], device=x.device)
        return self.to_logits(self.blocks(self.token_embeddings(x) + self.position_embeddings(positions)))


class VQVAETransformerInferer:
    """Flattens a grid of codes into a sequence that starts with a begin token."""

    def __init__(self, num_codes):
        self.begin = num_codes

    def sequence(self, codes):
        return F.pad(codes.flatten(1), (1, 0), value=self.begin)

    def loss(self, codes, transformer):
        latent = self.sequence(codes)
        logits = transformer(latent).transpose(1, 2)      # (b, tokens, length)
        return F.cross_entropy(logits, latent)

    @torch.no_grad()
    def sample(self, transformer, shape):
        latent = torch.full((1, 1), self.begin)
        for _ in range(shape[0] * shape[1]):
            probs = transformer(latent)[:, -1, :self.begin].softmax(-1)
            latent = torch.cat((latent, torch.multinomial(probs, 1)), dim=1)
        return latent[:, 1:].view(1, *shape)
