import torch
import torch.nn as nn
import torch.nn.functional as F


class Seq2SeqAttention(nn.Module):
    def __init__(self, n_class, n_hidden):
        super().__init__()
        self.enc_cell = nn.RNN(n_class, n_hidden)
        self.dec_cell = nn.RNN(n_class, n_hidden)
        self.attn = nn.Linear(n_hidden, n_hidden)
        self.out = nn.Linear(n_hidden * 2, n_class)

    def get_att_weight(self, dec_output, enc_outputs):
        # dec_output [batch, n_hidden], enc_outputs [n_step, batch, n_hidden]
        n_step = len(enc_outputs)
        attn_scores = [self.get_att_score(dec_output, enc_outputs[i]) for i in range(n_step)]
        # normalize scores to weights in range 0 to 1
        return F.softmax(torch.stack(attn_scores, dim=-1), dim=-1).view(-1, 1, n_step)

    def get_att_score(self, dec_output, enc_output):
        score = self.attn(enc_output)
        return (dec_output * score).sum(dim=-1)

    def forward(self, enc_inputs, dec_inputs):
        enc_inputs, dec_inputs = enc_inputs.transpose(0, 1), dec_inputs.transpose(0, 1)
        enc_outputs, hidden = self.enc_cell(enc_inputs)
        memory = enc_outputs.transpose(0, 1)                # [batch, n_step, n_hidden]
        trained_attn, model = [], []
        for i in range(len(dec_inputs)):
            dec_output, hidden = self.dec_cell(dec_inputs[i].unsqueeze(0), hidden)
            dec_output = dec_output[0]
            attn_weights = self.get_att_weight(dec_output, enc_outputs)
            trained_attn.append(attn_weights)
            context = attn_weights.matmul(memory).squeeze(1)
            model.append(self.out(torch.cat((dec_output, context), 1)))
        return torch.stack(model, 1), trained_attn


if __name__ == "__main__":
    n_class, batch = 14, 4
    eye = torch.eye(n_class)
    enc, dec = torch.randint(0, n_class, (batch, 6)), torch.randint(0, n_class, (batch, 5))
    predict, _ = Seq2SeqAttention(n_class, 32)(eye[enc], eye[dec])
    print(F.cross_entropy(predict.view(-1, n_class), dec.view(-1)))
