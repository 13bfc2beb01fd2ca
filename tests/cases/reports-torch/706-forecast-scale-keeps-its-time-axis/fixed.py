import torch
import torch.nn as nn


class MeanScaler(nn.Module):
    def forward(self, data, observed):
        n = observed.sum(dim=1, keepdim=True).clamp(min=1.0)
        loc = (data * observed).sum(dim=1, keepdim=True) / n
        var = (((data - loc) * observed) ** 2).sum(dim=1, keepdim=True) / n
        scale = torch.sqrt(var + 1e-5)
        return (data - loc) / scale, loc, scale


class TimeSeriesEncoder(nn.Module):
    def __init__(self, context_length, num_time_features=2, d_model=32, nhead=4):
        super().__init__()
        self.context_length = context_length
        self.scaler = MeanScaler()
        self.value_embedding = nn.Linear(1 + num_time_features + 2, d_model, bias=False)
        self.position = nn.Parameter(torch.zeros(1, context_length, d_model))
        layer = nn.TransformerEncoderLayer(d_model, nhead, 64, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)

    def create_network_inputs(self, past_values, past_time_features, past_observed_mask):
        inputs, loc, scale = self.scaler(past_values, past_observed_mask)
        static_feat = torch.cat((loc.squeeze(1).abs().log1p(), scale.squeeze(1).log()), dim=1)
        expanded_static_feat = static_feat.unsqueeze(1).expand(-1, self.context_length, -1)
        features = torch.cat((expanded_static_feat, past_time_features), dim=-1)
        return torch.cat((inputs, features), dim=-1), loc, scale

    def forward(self, past_values, past_time_features, past_observed_mask):
        x, loc, scale = self.create_network_inputs(past_values, past_time_features, past_observed_mask)
        hidden = self.encoder(self.value_embedding(x) + self.position)
        return hidden, loc, scale


if __name__ == "__main__":
    model = TimeSeriesEncoder(context_length=24)
    values = torch.randn(3, 24, 1)
    time_features = torch.randn(3, 24, 2)
    hidden, loc, scale = model(values, time_features, torch.ones_like(values))
    print(hidden.shape, loc.shape, scale.shape)
