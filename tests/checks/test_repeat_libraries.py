"""ATN307: masks repeated for heads that are folded into the batch, as each library spells it.

Nothing says how many axes or rows the mask has: that as many copies as there are heads lie inside
where the heads lie outside is enough.
"""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings

FUNCTION = """
def attend(q, k, v, mask, n_heads: int, d_k: int):
    b, n, _ = q.shape
    m = k.shape[1]
    def fold(x, length):
        x = {module}.reshape(x, (b, length, n_heads, d_k))
        x = {transposed}
        return {module}.reshape(x, ({merged}, length, d_k))
    qs, ks, vs = fold(q, n), fold(k, m), fold(v, m)
    scores = {module}.matmul(qs, {turned})
    mask = {repeated}
    scores = {masked}
    return {module}.matmul({softmax}, vs)
"""
ADDED = "scores + (1.0 - mask) * -1e10"


def functions(module, softmax, imports):
    """A library of functions that transpose and take a tuple of axes."""
    return {
        "module": module,
        "transposed": f"{module}.transpose(x, (ORDER))",
        "turned": f"{module}.transpose(ks, (0, 2, 1))",
        "softmax": softmax,
        "imports": imports,
        "masked": ADDED,
    }


NUMPY = functions("np", "softmax(scores, axis=-1)", "from scipy.special import softmax")
NUMPY["imports"] = "import numpy as np\nfrom scipy.special import softmax"
JAX = functions("jnp", "jax.nn.softmax(scores, axis=-1)", "import jax\nimport jax.numpy as jnp")
TENSORFLOW = functions("tf", "tf.nn.softmax(scores)", "import tensorflow as tf")
OPS = functions("ops", "ops.softmax(scores)", "from keras import ops")
BACKEND = functions("tf", "K.softmax(scores)", "import tensorflow as tf")
BACKEND["imports"] = "import tensorflow as tf\nfrom keras import backend as K"
TORCH = {
    "module": "torch",
    "transposed": "x.permute(ORDER)",
    "turned": "ks.transpose(1, 2)",
    "softmax": "scores.softmax(-1)",
    "imports": "import torch\nimport einops",
    "masked": ADDED,
}

#: each library with a repeat in place, and the same one tiled
PAIRS = [
    (NUMPY, "np.repeat(mask, n_heads, axis=0)", "np.tile(mask, (n_heads, 1, 1))"),
    (JAX, "jnp.repeat(mask, n_heads, axis=0)", "jnp.tile(mask, (n_heads, 1, 1))"),
    (TENSORFLOW, "tf.repeat(mask, n_heads, axis=0)", "tf.tile(mask, (n_heads, 1, 1))"),
    (OPS, "ops.repeat(mask, n_heads, axis=0)", "ops.tile(mask, (n_heads, 1, 1))"),
    (BACKEND, "K.repeat_elements(mask, n_heads, axis=0)", "K.tile(mask, (n_heads, 1, 1))"),
    (TORCH, "mask.repeat_interleave(n_heads, dim=0)", "mask.repeat(n_heads, 1, 1)"),
    (
        TORCH,
        "einops.repeat(mask, 'b q k -> (b h) q k', h=n_heads)",
        "einops.repeat(mask, 'b q k -> (h b) q k', h=n_heads)",
    ),
]
#: other spellings, and the one that they are mended with
SPELLINGS = [
    (NUMPY, "np.repeat(mask, n_heads, 0)", 1),
    (NUMPY, "np.repeat(mask, repeats=n_heads, axis=0)", 1),
    (NUMPY, "mask.repeat(n_heads, axis=0)", 1),
    (NUMPY, "np.tile(mask, [n_heads, 1, 1])", 0),
    (JAX, "mask.repeat(n_heads, axis=0)", 1),
    (TORCH, "torch.repeat_interleave(mask, n_heads, dim=0)", 1),
    (TORCH, "torch.tile(mask, (n_heads, 1, 1))", 0),
    (TORCH, "mask.tile((n_heads, 1, 1))", 0),
    (TORCH, "torch.cat([mask] * n_heads, dim=0)", 0),
]


def found(code):
    findings = check_source(code.encode(), "x.py", Settings()).findings
    assert {each.code for each in findings} <= {"ATN307"}
    return [(each.line, each.fix and each.fix.line) for each in findings]


def program(library, repeated, *, heads_outside):
    order, merged = (
        ("2, 0, 1, 3", "n_heads * b") if heads_outside else ("0, 2, 1, 3", "b * n_heads")
    )
    written = FUNCTION.format(**library, merged=merged, repeated=repeated)
    return library["imports"] + written.replace("ORDER", order)


def line_of(code):
    return next(i for i, line in enumerate(code.split("\n"), 1) if line.startswith("    mask = "))


@pytest.mark.parametrize(("library", "in_place", "tiled"), PAIRS)
def test_each_library(library, in_place, tiled):
    wrong = program(library, in_place, heads_outside=True)
    assert found(wrong) == [(line_of(wrong), f"mask = {tiled}")]
    wrong = program(library, tiled, heads_outside=False)
    assert found(wrong) == [(line_of(wrong), f"mask = {in_place}")]
    assert found(program(library, in_place, heads_outside=False)) == []
    assert found(program(library, tiled, heads_outside=True)) == []


@pytest.mark.parametrize(("library", "repeated", "place"), SPELLINGS)
def test_other_spellings(library, repeated, place):
    _, *pair = next(pair for pair in PAIRS if pair[0] is library)
    wrong = program(library, repeated, heads_outside=bool(place))
    assert found(wrong) == [(line_of(wrong), f"mask = {pair[place]}")]
    assert found(program(library, repeated, heads_outside=not place)) == []


@pytest.mark.parametrize(
    "masked",
    [
        "scores.masked_fill(mask == 0, -1e9)",
        "torch.where(mask, scores, -1e9)",
        "scores.masked_fill_(~mask, float('-inf'))",
    ],
)
def test_ways_of_masking(masked):
    library = TORCH | {"masked": masked}
    wrong = program(library, "mask.repeat(n_heads, 1, 1)", heads_outside=False)
    assert found(wrong) == [(line_of(wrong), "mask = mask.repeat_interleave(n_heads, dim=0)")]
    assert found(program(library, "mask.repeat(n_heads, 1, 1)", heads_outside=True)) == []


def test_the_message():
    code = program(NUMPY, "np.repeat(mask, n_heads, axis=0)", heads_outside=True)
    (finding,) = check_source(code.encode(), "x.py", Settings()).findings
    assert finding.message == (
        "`np.repeat(mask, n_heads, axis=0)` lays its rows out as (mask_0, n_heads);"
        f" `{ADDED}` reads them beside rows that lie as (n_heads, b), so that rows of different"
        " origin meet"
    )
    assert finding.expected.shape == ("n_heads*mask_0", "?", "?")


@pytest.mark.parametrize(
    "repeated",
    [
        # not as many copies as there are heads, and copies of something else
        "np.repeat(mask, b, axis=0)",
        "np.repeat(mask, n_heads // 2, axis=0)",
        # along the queries
        "np.repeat(mask, n_heads, axis=1)",
        "np.repeat(np.repeat(mask, n_heads, axis=0), 2, axis=0)",
        "np.ones((n_heads * b, 1, m))",
    ],
)
def test_left_alone(repeated):
    assert found(program(NUMPY, repeated, heads_outside=True)) == []


def test_a_mask_of_each_head_repeated_for_the_batch():
    wrong = program(NUMPY, "np.tile(mask, (b, 1, 1))", heads_outside=True)
    assert found(wrong) == [(line_of(wrong), "mask = np.repeat(mask, b, axis=0)")]
    assert found(program(NUMPY, "np.tile(mask, (b, 1, 1))", heads_outside=False)) == []


PAIRED = """import numpy as np
def pairs(x, y, n):
    left = np.repeat(x, n, axis=0)
    right = np.tile(y, (n, 1))
    return left - right
"""


def test_all_pairs_of_rows_that_nobody_has_counted():
    assert found(PAIRED) == []


UNLIKE = """from keras import ops
def fold(x, n_heads, d_k):
    b, n = ops.shape(x)[0], ops.shape(x)[1]
    x = ops.transpose(ops.reshape(x, (b, n, n_heads, d_k)), (ORDER))
    return ops.reshape(x, (MERGED, n, d_k))
def attend(q, k, mask, n_heads, d_k):
    scores = ops.matmul(fold(q, n_heads, d_k), ops.transpose(fold(k, n_heads, d_k), (0, 2, 1)))
    mask = ops.repeat(mask, n_heads, axis=0)
    return ops.softmax(scores + mask, axis=-1)
"""


def test_batches_that_nothing_says_are_one():
    wrong = UNLIKE.replace("ORDER", "2, 0, 1, 3").replace("MERGED", "n_heads * b")
    assert found(wrong) == [(8, "mask = ops.tile(mask, (n_heads, 1, 1))")]
    assert (
        found(wrong.replace("ops.repeat(mask, n_heads, axis=0)", "ops.tile(mask, (n_heads, 1, 1))"))
        == []
    )
    right = UNLIKE.replace("ORDER", "0, 2, 1, 3").replace("MERGED", "b * n_heads")
    assert found(right) == []
