import torch
import torch.nn as nn


class AVCrossAttention(nn.Module):
    """Lip frames ask, audio frames answer. Both are already encoded."""

    def __init__(self, d_video: int, d_audio: int, n_heads: int, d_head: int):
        super().__init__()
        self.n_heads, self.d_head = n_heads, d_head
        inner = n_heads * d_head
        self.q = nn.Linear(d_video, inner)
        self.kv = nn.Linear(d_audio, 2 * inner)
        self.o = nn.Linear(inner, d_video)

    def forward(self, video: torch.Tensor, audio: torch.Tensor, audio_len: torch.Tensor) -> torch.Tensor:
        b, n_frames, _ = video.shape
        n_audio = audio.size(1)
        q = self.q(video).view(b, n_frames, self.n_heads, self.d_head)
        k, v = self.kv(audio).view(b, n_audio, 2, self.n_heads, self.d_head).unbind(2)

        sim = torch.einsum("bihd,bjhd->bhij", q, k) * self.d_head ** -0.5
        valid = torch.arange(n_audio, device=audio.device)[None] < audio_len[:, None]
        sim = sim.masked_fill(~valid[:, None, None], float("-inf"))
        out = torch.einsum("bhij,bjhd->bihd", sim.softmax(-1), v)
        return video + self.o(out.flatten(2))


if __name__ == "__main__":
    fuse = AVCrossAttention(d_video=48, d_audio=40, n_heads=4, d_head=8)
    y = fuse(torch.randn(2, 25, 48), torch.randn(2, 100, 40), torch.tensor([100, 64]))
    print(y.shape)
