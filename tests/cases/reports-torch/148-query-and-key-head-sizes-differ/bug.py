from dataclasses import dataclass
import torch
import torch.nn as nn


@dataclass
class MLAConfig:
    hidden_size: int = 128
    num_heads: int = 4
    kv_lora_rank: int = 32
    qk_nope_head_dim: int = 24
    qk_rope_head_dim: int = 8
    v_head_dim: int = 20


class MLA(nn.Module):
    def __init__(self, config: MLAConfig):
        super().__init__()
        self.config = config
        self.q_head_dim = config.qk_nope_head_dim + config.qk_rope_head_dim
        self.q_proj = nn.Linear(config.hidden_size, config.num_heads * self.q_head_dim, bias=False)
        self.kv_a_proj = nn.Linear(config.hidden_size, config.kv_lora_rank + config.qk_rope_head_dim, bias=False)
        self.kv_b_proj = nn.Linear(config.kv_lora_rank, config.num_heads * (config.qk_nope_head_dim + config.v_head_dim), bias=False)
        self.o_proj = nn.Linear(config.num_heads * config.v_head_dim, config.hidden_size, bias=False)

    def forward(self, hidden_states):
        cfg = self.config
        bsz, q_len, _ = hidden_states.size()
        q = self.q_proj(hidden_states).view(bsz, q_len, cfg.num_heads, self.q_head_dim).transpose(1, 2)

        compressed_kv = self.kv_a_proj(hidden_states)
        compressed_kv, k_pe = torch.split(compressed_kv, [cfg.kv_lora_rank, cfg.qk_rope_head_dim], dim=-1)
        k_pe = k_pe.view(bsz, q_len, 1, cfg.qk_rope_head_dim).transpose(1, 2).expand(-1, cfg.num_heads, -1, -1)
        kv = self.kv_b_proj(compressed_kv).view(bsz, q_len, cfg.num_heads, cfg.qk_nope_head_dim + cfg.v_head_dim).transpose(1, 2)
        k_nope, value_states = torch.split(kv, [cfg.qk_nope_head_dim, cfg.v_head_dim], dim=-1)

        key_states = k_nope
        attn_weights = torch.matmul(q, key_states.transpose(2, 3)) * self.q_head_dim ** -0.5
        attn_weights = nn.functional.softmax(attn_weights, dim=-1, dtype=torch.float32).to(q.dtype)
        attn_output = torch.matmul(attn_weights, value_states)
        attn_output = attn_output.transpose(1, 2).reshape(bsz, q_len, cfg.num_heads * cfg.v_head_dim)
        return self.o_proj(attn_output)


if __name__ == "__main__":
    print(MLA(MLAConfig())(torch.randn(2, 6, 128)).shape)
