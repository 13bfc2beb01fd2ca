import torch
import torch.nn as nn


class PyramidLayer(nn.Module):
    """BLSTM over half as many steps: every two neighbouring frames become one."""

    def __init__(self, n_in, n_hid):
        super().__init__()
        self.blstm = nn.LSTM(2 * n_in, n_hid, bidirectional=True)

    def halve(self, x):
        # x: (time, batch, feat)
        time, batch, feat = x.size()
        if time % 2 == 1:
            x = x[:-1]
        return x.contiguous().view(time // 2, batch, feat * 2)

    def forward(self, x):
        out, _ = self.blstm(self.halve(x))
        return out


class Listener(nn.Module):
    def __init__(self, n_mels, n_hid, n_layers=2):
        super().__init__()
        sizes = [n_mels] + [2 * n_hid] * (n_layers - 1)
        self.layers = nn.ModuleList([PyramidLayer(s, n_hid) for s in sizes])

    def forward(self, frames):
        for layer in self.layers:
            frames = layer(frames)
        return frames.transpose(0, 1)


class AttendStep(nn.Module):
    def __init__(self, n_hid, d_state):
        super().__init__()
        self.phi = nn.Linear(d_state, n_hid)
        self.psi = nn.Linear(2 * n_hid, n_hid)

    def forward(self, state, heard):
        energy = torch.bmm(self.psi(heard), self.phi(state).unsqueeze(2)).squeeze(2)
        alpha = torch.softmax(energy, dim=1)
        return torch.bmm(alpha.unsqueeze(1), heard).squeeze(1), alpha


if __name__ == "__main__":
    heard = Listener(40, 16)(torch.randn(21, 3, 40))
    context, alpha = AttendStep(16, 24)(torch.randn(3, 24), heard)
    print(heard.shape, context.shape)
