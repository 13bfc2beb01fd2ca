"""ATN507: causal flags over keys that a cache stands in front of, and what decides about both."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

MODULE = """import torch
import torch.nn as nn
import torch.nn.functional as F
class Attention(nn.Module):
    def __init__(self, d_model, n_heads, causal):
        super().__init__()
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.n_heads = n_heads
        self.flash = hasattr(F, "scaled_dot_product_attention")
        self.always = True
        self.causal = causal
    def forward(self, x, past=None, sink=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = [t.view(B, T, self.n_heads, -1).transpose(1, 2) for t in (q, k, v)]
"""
JOINED = """        if past is not None:
            k = torch.cat((past[0], k), dim=2)
            v = torch.cat((past[1], v), dim=2)
"""
CALL = "F.scaled_dot_product_attention(q, k, v, {})"
LAST = "        return " + CALL + "\n"


def found(code):
    """(code, line, fixed line) of every finding."""
    findings = check_source(code.encode(), "x.py", Settings()).findings
    return [(each.code, each.line, each.fix and each.fix.line) for each in findings]


def test_the_flag_is_asked_for_only_without_a_cache():
    code = MODULE + JOINED + LAST.format("is_causal=True")
    assert found(code) == [("ATN507", 19, "return " + CALL.format("is_causal=past is None"))]
    assert found(code.replace("is_causal=True", "is_causal=past is None")) == []


def test_the_message():
    code = MODULE + JOINED + LAST.format("is_causal=True")
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`F.scaled_dot_product_attention(q, k, v, is_causal=True)` shows query i the keys 0 to i,"
        " counted from the first of all keys, but the queries' own keys stand behind `past[0]`"
        " (joined on line 17): one query with a cache sees nothing but the first key"
    )
    assert (finding.severity, finding.tensor.name) == ("error", "q")


MASK = (
    "attn_mask=torch.ones(q.size(-2), k.size(-2), dtype=torch.bool, device=q.device)"
    ".tril(k.size(-2) - q.size(-2))"
)
#: joins, and what they are mended with
JOINS = [
    (JOINED.replace("past is not None", "not past is None"), MASK),
    (JOINED.replace("past is not None", "past is not None and len(past)"), MASK),
    (JOINED.replace("        if past is not None:\n", "").replace("    " * 3, "    " * 2), MASK),
    (
        "        if past is None:\n            sink = k\n        else:\n"
        + "\n".join(JOINED.split("\n")[1:]),
        "is_causal=past is None",
    ),
    (
        "        k = torch.cat((past[0], k), dim=2) if past is not None else k\n"
        "        v = torch.cat((past[1], v), dim=2) if past is not None else v\n",
        "is_causal=past is None",
    ),
    (
        JOINED.replace("past is not None", "past is not None", 1) + "        past = (k, v)\n",
        MASK,
    ),
    (JOINED + "        k, v = k.contiguous(), v.contiguous()\n", "is_causal=past is None"),
]


@pytest.mark.parametrize(("joins", "flag"), JOINS)
def test_joins(joins, flag):
    code = MODULE + joins + LAST.format("is_causal=True")
    line = code.count("\n")
    assert found(code) == [("ATN507", line, "return " + CALL.format(flag))]
    assert found(code.replace("is_causal=True", flag)) == []


def test_one_query_sees_all_keys():
    code = (
        MODULE.replace("B, T, C = x.shape", "B, T, C = x.shape[0], 1, x.shape[-1]")
        + "        k = torch.cat((past[0], k), dim=2)\n        v = torch.cat((past[1], v), dim=2)\n"
        + LAST.format("is_causal=True")
    )
    assert found(code) == [("ATN507", 18, "return " + CALL.format("is_causal=False"))]


@pytest.mark.parametrize(
    "rest",
    [
        # a setting that is made once chooses how, not whether
        "        if self.flash:\n            return {}\n        return q @ k.mT @ v\n",
        "        return {}, (k, v)\n",
        "        y = {}\n        return y.transpose(1, 2).reshape(B, T, C)\n",
    ],
)
def test_ways_to_the_attention(rest):
    code = MODULE + JOINED + rest.format(CALL.format("is_causal=True"))
    assert [each[0] for each in found(code)] == ["ATN507"]


def test_the_flag_of_an_object_that_always_has_it():
    code = MODULE + JOINED + LAST.format("is_causal=self.always")
    assert found(code) == [("ATN507", 19, "return " + CALL.format("is_causal=past is None"))]


@pytest.mark.parametrize(
    "rest",
    [
        JOINED + LAST.format("is_causal=past is None"),
        JOINED + LAST.format("is_causal=T > 1"),
        JOINED + LAST.format("is_causal=self.causal"),
        JOINED + LAST.format("is_causal=False"),
        JOINED + "        flag = True\n" + LAST.format("is_causal=flag"),
        # a way of its own for one query, or for the first run
        JOINED + "        if T > 1:\n    " + LAST.format("is_causal=True") + LAST.format(""),
        JOINED + "        if T == 1:\n    " + LAST.format("") + LAST.format("is_causal=True"),
        JOINED
        + "        if self.training:\n    "
        + LAST.format("is_causal=True")
        + LAST.format(""),
        "        if past is None:\n    " + LAST.format("is_causal=True") + JOINED + LAST.format(""),
        "        if past is None:\n            y = "
        + CALL.format("is_causal=True")
        + "\n        else:\n"
        + JOINED.replace("    " * 2, "    " * 3)
        + "            y = "
        + CALL.format("")
        + "\n        return y\n",
        JOINED + "        assert past is None\n" + LAST.format("is_causal=True"),
        # queries that are joined as the keys are
        JOINED + "        q = torch.cat((past[2], q), dim=2)\n" + LAST.format("is_causal=True"),
        # behind the own keys, or one in front, which every query may see
        JOINED.replace("(past[0], k)", "(k, past[0])").replace("(past[1], v)", "(v, past[1])")
        + LAST.format("is_causal=True"),
        "        zero = q.new_zeros(B, self.n_heads, 1, C // self.n_heads)\n"
        "        k, v = torch.cat((zero, k), dim=2), torch.cat((zero, v), dim=2)\n"
        + LAST.format("is_causal=True"),
        # heads or features joined, not positions
        JOINED.replace("dim=2", "dim=1") + LAST.format("is_causal=True"),
        LAST.format("is_causal=True"),
    ],
)
def test_left_alone(rest):
    assert [each for each in found(MODULE + rest) if each[0] == "ATN507"] == []


MEMORY = """import torch
import torch.nn as nn
import torch.nn.functional as F
class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(d, d), nn.Linear(d, d), nn.Linear(d, d)
        self.kv = nn.Linear(d, 2 * d)
    def forward(self, x, memory):
        whole = torch.cat([memory, x], dim=1)
        q = self.q(x)
        {}
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)
"""


@pytest.mark.parametrize(
    "made", ["k, v = self.k(whole), self.v(whole)", "k, v = self.kv(whole).chunk(2, dim=-1)"]
)
def test_keys_of_what_was_joined(made):
    assert found(MEMORY.format(made)) == [("ATN507", 13, "return " + CALL.format(MASK))]


@pytest.mark.parametrize(
    "made",
    [
        # the own positions again
        "k, v = self.k(whole)[:, memory.size(1):], self.v(whole)[:, memory.size(1):]",
        "k, v = self.k(whole)[:, -x.size(1):], self.v(whole)[:, -x.size(1):]",
        "k, v = self.k(x), self.v(x)",
        "q, k, v = self.q(whole), self.k(whole), self.v(whole)",
    ],
)
def test_keys_that_are_as_many_as_queries(made):
    assert found(MEMORY.format(made)) == []


HELPERS = """import torch
import torch.nn.functional as F
def join(past, k):
    return torch.cat([past, k], dim=-2)
def attend(q, k, v, one=False):
    {}return F.scaled_dot_product_attention(q, k, v, is_causal=True)
def step(x: torch.Tensor, wq, wk, wv, past_k, past_v, one):
    B, T, d = x.shape
    q, k, v = x @ wq, x @ wk, x @ wv
    k, v = join(past_k, k), join(past_v, v)
    return attend(q, k, v, one)
"""


def test_helpers_join_and_attend():
    assert [each[:2] for each in found(HELPERS.format(""))] == [("ATN507", 6)]
    asked = "if one: return F.scaled_dot_product_attention(q, k, v)\n    "
    assert found(HELPERS.format(asked)) == []


ARRAYS = """import jax.numpy as jnp
import jax
def attend(x: jax.Array, wq, wk, wv, past_k, past_v):
    B, T, N, d = x.shape
    q, k, v = [jnp.einsum("btnd,de->btne", x, w) for w in (wq, wk, wv)]
    k = jnp.concatenate([past_k, k], axis={0})
    v = jnp.concatenate([past_v, v], axis={0})
    return jax.nn.dot_product_attention(q, k, v, is_causal=True)
"""


def test_jax_has_positions_in_front_of_heads():
    assert [each[:2] for each in found(ARRAYS.format(1))] == [("ATN507", 8)]
    assert [each for each in found(ARRAYS.format(2)) if each[0] == "ATN507"] == []


ONE_EINSUM = """import jax.numpy as jnp
import jax
def attend(p, x, past):
    q, k, v = jnp.einsum("btc,cnhd->nbthd", x, p["qkv"])
    if past is not None:
        k = jnp.concatenate([past[0], k], axis=1)
        v = jnp.concatenate([past[1], v], axis=1)
    return jax.nn.dot_product_attention(q, k, v, is_causal={})
"""


def test_queries_keys_and_values_of_one_product():
    fixed = "return jax.nn.dot_product_attention(q, k, v, is_causal=past is None)"
    assert found(ONE_EINSUM.format(True)) == [("ATN507", 8, fixed)]
    assert found(ONE_EINSUM.format("past is None")) == []
    assert found(ONE_EINSUM.format(True).replace("if past is not None", "if False")) == []
