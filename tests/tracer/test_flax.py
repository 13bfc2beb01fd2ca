"""Flax: modules whose fields are their arguments, layers that learn what they take, variables."""

import pytest

from attncheck.engine import trace_shapes
from attncheck.settings import Settings
from tracer.tracing import function, last, module, parameter

HEAD = (
    "import jax\nimport jax.numpy as jnp\nfrom flax import linen as nn\nfrom flax import nnx\n"
    "from flax import linen\nx = jnp.zeros((3, 5, 8))\n"
)

NET = """
class Net(nn.Module):
    width: int
    depth: int = 2

    def setup(self):
        self.first = nn.Dense(self.width)

    @nn.compact
    def __call__(self, x, train=False):
        y = self.first(x)
        return nn.Dropout(0.1)(y, deterministic=not train), y.sum(-1)

    def encode(self, x):
        return self.first(x)[0]

class Wider(Net):
    more: int = 1

    @nn.compact
    def __call__(self, x):
        scale = self.param("scale", nn.initializers.ones, (self.width, self.more))
        return super().__call__(x)[0] @ scale
"""


def told(code, name="y"):
    return last(module(HEAD + NET + code), name)


CALLS = {
    "y, _ = Net(7)(x)": (3, 5, 7),
    "_, y = Net(width=7, name='n')(x)": (3, 5),
    "(y, _), state = Net(7).apply({}, x, mutable=['batch_stats'])": (3, 5, 7),
    "y = Net(7).apply({}, x, rngs={})[0]": (3, 5, 7),
    "y = Net(7).apply({}, x, method=Net.encode)": (5, 7),
    "y = Net(7).apply({}, x, method='encode')": (5, 7),
    "(y, _), variables = Net(7).init_with_output(jax.random.key(0), x)": (3, 5, 7),
    "y = Net(7).init(jax.random.key(0), x)": "Mapping",
    "y = Wider(7, more=4).apply({}, x)": (3, 5, 4),
    "y = Wider(7, 2, 4).apply({}, x)": (3, 5, 4),
    "y = Net(7, 2, 3, 4)(x)": "Unknown",
    "y = nn.remat(Net)(7)(x)[0]": (3, 5, 7),
}


@pytest.mark.parametrize("code", CALLS)
def test_modules(code):
    assert told(code) == CALLS[code]


def test_a_module_in_general():
    traced = function(NET, "Net.__call__", head=HEAD)
    assert parameter(traced, "y") == "(..., width)"


def test_setup_comes_before_what_methods_use():
    traced = function(NET, "Net.encode", head=HEAD)
    assert [operation.kind for operation in traced.graph.operations] == ["linear_layer", "index"]


LAYERS = {
    "y = nn.Dense(4)(x)": (3, 5, 4),
    "y = nn.DenseGeneral((2, 6))(x)": (3, 5, 2, 6),
    "y = nn.DenseGeneral(6, axis=(-2, -1))(x)": (3, 6),
    "y = nn.Embed(10, 4)(jnp.zeros((3, 5), dtype=int))": (3, 5, 4),
    "y = nn.Conv(4, (3,))(x)": (3, 5, 4),
    "y = nn.Conv(4, (3,), padding='VALID')(x)": (3, "?", 4),
    "y = nn.LayerNorm()(x)": (3, 5, 8),
    "y = linen.Sequential([nn.Dense(4), nn.relu, nn.Dense(2)])(x)": (3, 5, 2),
    "y = nn.MultiHeadDotProductAttention(num_heads=2, out_features=6)(x, x)": (3, 5, 6),
    "y = nn.SelfAttention(num_heads=2)(x)": (3, 5, 8),
    "y = nn.make_causal_mask(x[..., 0])": (3, 1, 5, 5),
    "y = nn.dot_product_attention_weights(x[:, :, None], x[:, 1:, None])": (3, 1, 5, 4),
    "_, y = nn.LSTMCell(8)((x[0], x[0]), x[0])": (5, 8),
    "y = nn.RNN(nn.GRUCell(6))(x)": (3, 5, 6),
    "y = nnx.Linear(8, 4, rngs=nnx.Rngs(0))(x)": (3, 5, 4),
    "y = nnx.Linear(8, 4, rngs=nnx.Rngs(0)).kernel.value": (8, 4),
    "y = nnx.Param(x).value + nnx.Param(x)": (3, 5, 8),
    "y = nnx.MultiHeadAttention(2, 8, decode=False, rngs=nnx.Rngs(0))(x)": (3, 5, 8),
    "y = linen.linear.Dense(4)(x)": (3, 5, 4),
}


@pytest.mark.parametrize("code", LAYERS)
def test_layers(code):
    assert told(code) == LAYERS[code]


CLASHES = {
    "y = nnx.Linear(9, 4, rngs=nnx.Rngs(0))(x)": "takes 9 features, not 8",
    "y = nn.DenseGeneral(4, axis=3)(x)": "names axis 3 of (3, 5, 8), which has 3 axes",
    "y = nn.MultiHeadDotProductAttention(num_heads=3)(x, x)": "splits 8 features among 3 heads",
    "y = nn.MultiHeadAttention(num_heads=2)(x, x[:, :4], x)": "weights 5 values by 4 keys",
    "y = nnx.LSTMCell(8, 6, rngs=nnx.Rngs(0))((x[0], x[0]), x[0])": "carries a state of 6 features",
    "y = nnx.LayerNorm(9, rngs=nnx.Rngs(0))(x)": "normalises 9 features, not 8",
}


@pytest.mark.parametrize("code", CLASHES)
def test_clashes(code):
    (clash,) = [each.clash for each in module(HEAD + code).graph.clashes()]
    assert clash.text.startswith(CLASHES[code])


def test_a_field_without_a_default_may_follow_one_of_a_base():
    late = "class Late(Net):\n    last: int\n    def encode(self, x):\n"
    code = f"{late}        return x[: self.last]\n"
    assert told(code + "y = Late(7, last=2).apply({}, x, method='encode')") == (2, 5, 8)


def test_shapes_are_shown_where_a_module_has_no_init_of_its_own():
    calls = "net = Net(7)\ny, z = net.apply({}, x)\n"
    rows = trace_shapes((HEAD + NET + calls).encode(), "x.py", Settings())
    assert {row.name: row.shape for row in rows if row.name == "z"} == {"z": (3, 5)}


def test_what_only_changes_the_dtype_keeps_the_shapes():
    code = "from flax.linen.dtypes import promote_dtype\nz = jnp.zeros((3, 4), int)\n"
    traced = module(HEAD + code + "a, b = promote_dtype(x, z, dtype=None)\n")
    assert (last(traced, "a"), last(traced, "b")) == ((3, 5, 8), (3, 4))
    code = "y = x / jnp.sqrt(8).astype(x.dtype)\n"
    assert last(module(HEAD + code), "y") == (3, 5, 8)
    code = "y = jnp.einsum('bqd,bkd->bqk', x, x, _dot_general=jax.lax.dot_general)\n"
    assert last(module(HEAD + code), "y") == (3, 5, 5)
    code = "y = jnp.expand_dims((unseen['ids'] != 0).astype(x.dtype), -1)\n"
    assert last(module(HEAD + code), "y") is None
