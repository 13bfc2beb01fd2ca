import torch
import torch.nn as nn
import torch.nn.functional as F


class ActivityClassifier(nn.Module):
    """Accelerometer windows -> activity label."""

    def __init__(self, n_channels, n_classes, d_model=64, nhead=4, num_layers=2):
        super().__init__()
        self.embed = nn.Linear(n_channels, d_model)
        layer = nn.TransformerEncoderLayer(d_model, nhead, dim_feedforward=128, dropout=0.1)
        self.encoder = nn.TransformerEncoder(layer, num_layers)
        self.classifier = nn.Linear(d_model, n_classes)

    def forward(self, x):
        x = self.embed(x)
        x = x.permute(1, 0, 2)  # the encoder wants the time axis first
        x = self.encoder(x)
        x = x.mean(dim=0)
        return self.classifier(x)


def train_step(model, optimizer, windows, labels):
    model.train()
    optimizer.zero_grad()
    logits = model(windows)
    loss = F.cross_entropy(logits, labels)
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    net = ActivityClassifier(n_channels=6, n_classes=5)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    print(train_step(net, opt, torch.randn(16, 50, 6), torch.randint(0, 5, (16,))))
