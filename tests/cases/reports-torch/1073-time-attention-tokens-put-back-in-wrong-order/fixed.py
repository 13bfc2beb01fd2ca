import torch
from torch import nn
from einops import rearrange


class DividedAttention(nn.Module):
    """Time attention, then space attention, x: (b t) n c."""

    def __init__(self, dim, num_heads=8):
        super().__init__()
        self.norm_t = nn.LayerNorm(dim)
        self.norm_s = nn.LayerNorm(dim)
        self.time_attn = nn.MultiheadAttention(dim, num_heads, batch_first=True)
        self.space_attn = nn.MultiheadAttention(dim, num_heads, batch_first=True)

    def forward(self, x, num_frames):
        b = x.shape[0] // num_frames

        xt = rearrange(self.norm_t(x), '(b t) n c -> (b n) t c', b=b)
        xt = self.time_attn(xt, xt, xt, need_weights=False)[0]
        x = x + rearrange(xt, '(b n) t c -> (b t) n c', b=b)

        xs = self.norm_s(x)
        xs = self.space_attn(xs, xs, xs, need_weights=False)[0]
        return x + xs


class VideoClassifier(nn.Module):
    def __init__(self, dim=192, patch=16, n_classes=400):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, patch, patch)
        self.block = DividedAttention(dim)
        self.head = nn.Linear(dim, n_classes)

    def forward(self, video):
        b, c, t, h, w = video.shape
        x = self.patch(rearrange(video, 'b c t h w -> (b t) c h w'))
        x = self.block(rearrange(x, 'f c h w -> f (h w) c'), num_frames=t)
        return self.head(rearrange(x, '(b t) n c -> b (t n) c', b=b).mean(dim=1))


if __name__ == '__main__':
    model = VideoClassifier()
    print(model(torch.randn(2, 3, 8, 64, 64)).shape)
