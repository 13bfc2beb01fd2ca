"""What is told of tensors is not told of what only looks like one: no finding."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

HEAD = "import torch\nfrom torch import nn\nimport torch.nn.functional as F\n"


def codes(code):
    return [each.code for each in check_source((HEAD + code).encode(), "x.py", Settings()).findings]


GATED = """
from kernels.layers import {name}

class MLP(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up = nn.Linear(d_model, {width})
        self.down = nn.Linear(d_ff, d_model)
        self.act_fn = {name}()

    def forward(self, x):
        return self.down(self.act_fn(self.up(x)))
"""


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [
        ("SiluAndMul", "2 * d_ff", []),
        ("SwiGLU", "2 * d_ff", []),
        ("Silu", "d_ff", []),
        ("Silu", "2 * d_ff", ["ATN103"]),
    ],
)
def test_activations_that_multiply_the_halves_of_their_input(name, width, expected):
    assert codes(GATED.format(name=name, width=width)) == expected


CALLED_NORM = """
class Steps:
    def __init__(self, backbone):
        self.backbone = backbone

    def finish(self, hidden):
        norm = self.backbone.norm
        {body}
"""


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("return torch.cat([norm(hidden[i : i + 255], None) for i in range(0, 9, 3)])", []),
        ("x = torch.ones(3, 4)\n        return torch.cat([norm(x), x])", []),
        ("return torch.cat([hidden.norm(2), hidden.norm(1)])", ["ATN106"]),
    ],
)
def test_layers_that_are_called_like_methods_of_tensors(body, expected):
    assert codes(CALLED_NORM.format(body=body)) == expected


JOINED = """
class Head(nn.Module):
    def __init__(self, d_model, labels):
        super().__init__()
        self.out = nn.Linear(d_model, labels)

    def forward(self, outputs, labels=None):
        states = outputs[0]
        logits = self.out(states[:, 0])
        outputs = (logits,) + outputs[{key}]
        if labels is not None:
            outputs = (F.cross_entropy(logits, labels),) + outputs
        return outputs
"""


@pytest.mark.parametrize("key", ["1:", "2:", ":"])
def test_a_tuple_to_which_the_rest_of_another_is_added(key):
    assert codes(JOINED.format(key=key)) == []


def test_a_tuple_that_is_added_to_a_tensor():
    code = "def f(n):\n    x = torch.ones(n, 3)\n    return (x,) + x.exp()\n"
    assert codes(code) == ["ATN104"]


KERNEL = """
def convolved(x, w, heads, head_dim, first):
    frames, tokens, channels = x.shape
    if channels != heads * head_dim:
        raise ValueError(channels)
    out = {made}
    launch(x, w, out, first)
    return out.view(frames, heads, tokens, head_dim)
"""


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        ("torch.empty_like(x)", []),
        ("torch.empty(frames, tokens, channels)", []),
        ("x.new_empty(x.shape)", []),
        ("x * 2", ["ATN303"]),
    ],
)
def test_empty_tensors_that_a_kernel_fills(made, expected):
    assert codes(KERNEL.format(made=made)) == expected


ONE_OF_A_BATCH = """
def repeated(batch: int, tokens: int, n: int):
    packed = torch.ones(batch, tokens, 128)
    one = packed.squeeze({axis})
    return one.unsqueeze(0).repeat(n, 1, 1)
"""


def test_a_batch_of_one_that_is_taken_off():
    assert codes(ONE_OF_A_BATCH.format(axis=0)) == []
    assert codes(ONE_OF_A_BATCH.format(axis=1)) == ["ATN104"]


FEATURE_MAPS = """
class LinearAttention(nn.Module):
    def __init__(self, d_model):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(d_model, d_model) for _ in range(3))

    def forward(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        q, k = q.softmax(-1), k.softmax(-1)
        kv = k.transpose(-1, -2) @ v
        return {result}
"""


@pytest.mark.parametrize(
    "result",
    [
        "(q @ kv) / (q @ k.sum(-2, keepdim=True).transpose(-1, -2))",
        "torch.einsum('bnd,bde->bne', q, kv) / (q @ k.sum(-2).unsqueeze(-1))",
    ],
)
def test_softmax_as_the_feature_map_of_linear_attention(result):
    assert codes(FEATURE_MAPS.format(result=result)) == []


SEVERAL = """
def guided(model, x, scale: float):
    noise = model(x).sample
    parts = noise.{split}  # [b, 4, 64, 64]
    guided = parts[0] + scale * (parts[1] - parts[0])
    tables = torch.zeros((3, *guided.shape))
    return torch.einsum("cb,cbijk->bijk", torch.ones(3, 2), tables)
"""


@pytest.mark.parametrize("split", ["chunk(2)", "split(4, dim=0)", "unbind()", "tensor_split(2)"])
def test_a_comment_on_several_tensors_is_about_each_of_them(split):
    assert codes(SEVERAL.format(split=split)) == []


FEATURES = """
def emphasised(audio, lengths, value: float):
    padded = torch.full((len(audio), 100), {value})
    copy(padded, audio)
    shifted = {shifted}
    mask = torch.arange(shifted.shape[1])[None] < lengths[:, None]
    return shifted.masked_fill(~mask, 0.0)
"""


@pytest.mark.parametrize(
    ("value", "shifted", "expected"),
    [
        ("0.0", "torch.cat([padded[:, :1], padded[:, 1:] - 0.9 * padded[:, :-1]], 1)", []),
        ("0.0", "padded - padded.mean()", []),
        ("0.0", "padded[:, 1:]", ["ATN504"]),
    ],
)
def test_zeros_from_which_other_values_were_computed(value, shifted, expected):
    assert codes(FEATURES.format(value=value, shifted=shifted)) == expected


DECODED = """
class Codec(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv1d(100, 512, 3)
        self.encoder = Encoder()
        self.decoder = nn.Conv1d(512, 100, 3)

    def forward(self, inp, mode="decode"):
        if mode == "encode":
            return self.encoder(self.down(inp).unsqueeze(0))
        return self.decoder(inp)

class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(512, 8, 3)

    def forward(self, x):
        return self.conv(x)

sound = Codec()(torch.ones(2, 512, 30))
"""


def test_what_a_flag_leads_to_in_a_layer_of_its_own():
    assert codes(DECODED) == []


ROLLING = """
class Rolling:
    def __init__(self, window):
        self.window, self.k, self.v = window, None, None

    def update(self, k, v):
        if self.k is not None:
            k, v = torch.cat([self.k, k], 2), torch.cat([self.v, v], 2)
        self.k, self.v = k[:, :, -self.window:], v[:, :, -self.window:]
        return self.k, self.v

class Decoder(nn.Module):
    def __init__(self, d_model, n_head):
        super().__init__()
        self.n_head = n_head
        self.qkv = nn.Linear(d_model, 3 * d_model)

    def step(self, x, cache, tokens):
        B = x.size(0)
        split = self.qkv(x).view(B, 1, 3, self.n_head, -1)
        q, k, v = split.permute(2, 0, 3, 1, 4).unbind(0)
        k, v = cache.update(k, v)
        keep = {mask}.bool()
        return F.scaled_dot_product_attention(q, k, v, attn_mask=keep)

def decode(layer, x, tokens):
    cache, out = Rolling(8), []
    {loop}
    return out

decode(Decoder(32, 4), torch.randn(2, 12, 32), torch.ones(2, 12))
"""
STEP = "layer.step(x[:, t:t + 1], cache, tokens[:, :t + 1])"
LOOP = f"for t in range(x.size(1)):\n        out.append({STEP})"
LISTED = f"out = [{STEP} for t in range(x.size(1))]"
TRIMMED, WHOLE = "tokens[:, None, None, -k.size(2):]", "tokens[:, None, None, :]"


@pytest.mark.parametrize(
    ("mask", "loop", "expected"),
    [
        (TRIMMED, LOOP, []),
        (TRIMMED, LISTED, []),
        (WHOLE, LOOP, []),  # not known: the first rounds tell nothing of those that let steps go
        (WHOLE, LISTED, ["ATN501"]),
        ("torch.ones(B, 1, 1, 3)", LOOP, ["ATN501"]),
    ],
)
def test_a_mask_as_long_as_a_cache_that_has_one_step_at_first(mask, loop, expected):
    assert codes(ROLLING.format(mask=mask, loop=loop)) == expected
