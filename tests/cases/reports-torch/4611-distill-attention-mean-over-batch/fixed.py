import torch
import torch.nn as nn
import torch.nn.functional as F


def pick_teacher_layers(teacher_attn, n_student):
    """The student's layer i imitates the teacher's layer (i + 1) * step - 1."""
    step = len(teacher_attn) // n_student
    return [teacher_attn[(i + 1) * step - 1] for i in range(n_student)]


def average_heads(attentions):
    """List of (B, heads, T, T), one per layer -> one map per layer and sentence."""
    return torch.stack(attentions).mean(dim=2)


class AttentionDistiller(nn.Module):
    def __init__(self, student, teacher, temperature=4.0, w_att=1.0, w_kd=0.5):
        super().__init__()
        self.student = student
        self.teacher = teacher.eval().requires_grad_(False)
        self.temperature, self.w_att, self.w_kd = temperature, w_att, w_kd

    def attention_loss(self, s_attn, t_attn, mask):
        t_attn = pick_teacher_layers(t_attn, len(s_attn))
        s, t = average_heads(s_attn), average_heads(t_attn)
        return F.mse_loss(s, t)

    def forward(self, tokens, mask):
        s_logits, s_attn = self.student(tokens, mask)
        with torch.no_grad():
            t_logits, t_attn = self.teacher(tokens, mask)
        tau = self.temperature
        kd = F.kl_div(F.log_softmax(s_logits / tau, -1), F.softmax(t_logits / tau, -1), reduction="batchmean") * tau ** 2
        return self.w_att * self.attention_loss(s_attn, t_attn, mask) + self.w_kd * kd
