import torch
import torch.nn as nn
import torch.nn.functional as F


def grid_angles(height, width, head_dim):
    """Angles of the latent grid, first half of the features for rows, second half for columns."""
    inv = 10000.0 ** (-torch.arange(0, head_dim // 2, 2).float() / (head_dim // 2))
    rows = torch.arange(height).float()[:, None, None] * inv
    cols = torch.arange(width).float()[None, :, None] * inv
    ang = torch.cat([rows.expand(-1, width, -1), cols.expand(height, -1, -1)], dim=-1)
    return ang.flatten(0, 1).repeat_interleave(2, dim=-1)


def rotate(x, cos, sin):
    pairs = x.unflatten(-1, (-1, 2))
    turned = torch.stack([-pairs[..., 1], pairs[..., 0]], dim=-1).flatten(-2)
    return x * cos + turned * sin


class JointAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.img_qkv = nn.Linear(dim, 3 * dim)
        self.txt_qkv = nn.Linear(dim, 3 * dim)
        self.img_out = nn.Linear(dim, dim)
        self.txt_out = nn.Linear(dim, dim)

    def heads_of(self, t):
        return t.unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4).unbind(0)

    def forward(self, img, txt, angles):
        cos, sin = angles.cos(), angles.sin()
        q_img, k_img, v_img = self.heads_of(self.img_qkv(img))
        q_txt, k_txt, v_txt = self.heads_of(self.txt_qkv(txt))

        q = rotate(torch.cat([q_txt, q_img], dim=2), cos, sin)
        k = rotate(torch.cat([k_txt, k_img], dim=2), cos, sin)
        v = torch.cat([v_txt, v_img], dim=2)

        out = F.scaled_dot_product_attention(q, k, v).transpose(1, 2).flatten(2)
        n_txt = txt.shape[1]
        return self.img_out(out[:, n_txt:]), self.txt_out(out[:, :n_txt])


if __name__ == "__main__":
    attn = JointAttention(64, 4)
    img, txt = torch.randn(2, 6 * 8, 64), torch.randn(2, 7, 64)
    y_img, y_txt = attn(img, txt, grid_angles(6, 8, 16))
    print(y_img.shape, y_txt.shape)
