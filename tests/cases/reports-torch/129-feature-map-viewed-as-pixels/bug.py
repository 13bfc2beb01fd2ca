import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentiveCNN(nn.Module):
    def __init__(self, features=64, embed_size=32, hidden_size=32):
        super(AttentiveCNN, self).__init__()
        self.conv = nn.Conv2d(3, features, 4, stride=4)
        self.affine_a = nn.Linear(features, hidden_size)

    def forward(self, images):
        encoded_image = self.conv(images)                              # (batch_size,features,h,w)
        batch_size, features, h, w = encoded_image.shape
        enc_image = encoded_image.view(batch_size, h * w, features)    # (batch_size,num_pixels,features)
        V = F.relu(self.affine_a(enc_image))
        return V


class Atten(nn.Module):
    def __init__(self, hidden_size):
        super(Atten, self).__init__()
        self.affine_v = nn.Linear(hidden_size, 49, bias=False)
        self.affine_g = nn.Linear(hidden_size, 49, bias=False)
        self.affine_h = nn.Linear(49, 1, bias=False)

    def forward(self, V, h_t):
        # V: (batch_size, num_pixels, hidden), h_t: (batch_size, hidden)
        content_v = self.affine_v(V) + self.affine_g(h_t).unsqueeze(1)
        z_t = self.affine_h(torch.tanh(content_v)).squeeze(2)
        alpha_t = F.softmax(z_t, dim=1)
        c_t = torch.bmm(alpha_t.unsqueeze(1), V).squeeze(1)
        return c_t, alpha_t


cnn, atten = AttentiveCNN(), Atten(32)
V = cnn(torch.randn(2, 3, 28, 28))
context, alpha = atten(V, torch.randn(2, 32))
