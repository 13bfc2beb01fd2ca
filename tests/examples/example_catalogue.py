"""What each example computes: its function, the inputs it wants, and the formula it must equal."""

import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import attention_formulas as formulas
import numpy as np

#: Which of its libraries Keras computes with here.
os.environ.setdefault("KERAS_BACKEND", "numpy")
ROOT = Path(__file__).resolve().parents[2] / "examples"
#: The folders of clean examples.
FRAMEWORKS = ("numpy", "torch", "jax", "keras")
SIZES = {
    "B": 3,
    "T_dec": 4,
    "T_enc": 5,
    "d_h": 6,
    "d_s": 8,
    "d_attn": 9,
    "n_heads": 2,
    "d_k": 7,
    "d_v": 11,
    "d_y": 10,
    "max_len": 13,
}


def load(path, name=None):
    """Import a file by its path, under a name that collides with nothing."""
    name = name or "_".join(("example", *Path(path).parts[-3:])).removesuffix(".py")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


@dataclass(frozen=True, slots=True)
class Example:
    """One function of one file. `sizes` gives each input's shape by the names of SIZES."""

    path: str
    function: str
    shapes: dict[str, tuple[str, ...]]
    formula: Callable
    batched: tuple[str, ...] = ()

    @property
    def framework(self):
        return self.path.split("/")[0]

    @property
    def tolerance(self):
        """How close it comes to the formula: Keras computes in single precision with NumPy."""
        return 1e-6 if self.framework == "keras" else 1e-9

    def inputs(self, seed=0, **overrides):
        """Random arrays of pairwise different sizes, or of the sizes given."""
        sizes = derived(SIZES | overrides)
        rng = np.random.default_rng(seed)
        made = {}
        for name, axes in self.shapes.items():
            size = [sizes[axis] for axis in axes]
            made[name] = special(name, sizes) if name in SPECIAL else rng.standard_normal(size)
        if "padding" in self.path:
            made["encoder_states"][-2:] = 0
        return made

    def expected(self, inputs):
        """What the loops say."""
        if not self.batched:
            return self.formula(**inputs)
        batched = {name: inputs[name] for name in self.batched}
        shared = {name: value for name, value in inputs.items() if name not in self.batched}
        return formulas.over_batch(self.formula, batched, **shared)

    def run(self, inputs, module=None):
        """What the example says, as numpy arrays."""
        function = getattr(module or load(ROOT / self.path), self.function)
        if self.framework == "numpy":
            return function(**inputs)
        if self.framework == "jax":
            return run_in_double(function, inputs)
        if self.framework == "keras":
            return tuple(np.asarray(result) for result in function(**inputs))
        import torch

        def tensor(value):
            return torch.from_numpy(value) if isinstance(value, np.ndarray) else value

        results = function(**{name: tensor(value) for name, value in inputs.items()})
        return tuple(result.numpy() for result in results)


def run_in_double(function, inputs):
    """What a function of jax says about numpy arrays, in as many digits as numpy has."""
    import jax

    with jax.enable_x64(True):
        arrays = {name: jax.numpy.asarray(value) for name, value in inputs.items()}
        return tuple(np.asarray(result) for result in function(**arrays))


SPECIAL = {"lengths", "mask", "n_heads"}


def special(name, sizes):
    if name == "n_heads":
        return sizes["n_heads"]
    lengths = 1 + np.arange(sizes["B"])[::-1] * (sizes["T_enc"] - 1) // max(sizes["B"] - 1, 1)
    return lengths if name == "lengths" else np.arange(sizes["T_enc"]) < lengths[:, None]


def derived(sizes):
    extra = {
        "d_query": sizes["d_h"],
        "d_pair": sizes["d_s"] + sizes["d_h"],
        "heads_s": sizes["n_heads"] * sizes["d_k"],
        "heads_h": sizes["n_heads"] * sizes["d_v"],
        "d_model": sizes["n_heads"] * sizes["d_k"],
        "one": 1,
    }
    return extra | sizes


def shapes(text):
    """`a: T d, b: d` to {"a": ("T", "d"), "b": ("d",)}."""
    pairs = (item.split(":") for item in text.split(","))
    return {name.strip(): tuple(axes.split()) for name, axes in pairs}


ADDITIVE = shapes(
    "decoder_state: d_s, encoder_states: T_enc d_h, W_a: d_attn d_s, U_a: d_attn d_h, v_a: d_attn"
)
DOT = shapes("decoder_state: d_query, encoder_states: T_enc d_h")
GENERAL = shapes("decoder_state: d_s, encoder_states: T_enc d_h, W: d_s d_h")
CONCAT = shapes("decoder_state: d_s, encoder_states: T_enc d_h, W_a: d_attn d_pair, v_a: d_attn")
HEADS = shapes("decoder_state: heads_s, encoder_states: T_enc heads_h, W: n_heads d_k d_v")
SCALED = shapes("query: T_dec d_k, key: T_enc d_k, value: T_enc d_v")
MASKED = shapes("decoder_state: B d_s, encoder_states: B T_enc d_h, lengths: B, W: d_s d_h")
STEPS = shapes("decoder_states: B T_dec d_s, encoder_states: B T_enc d_h, W: d_s d_h")
MASKED_SCALED = shapes("query: B T_dec d_k, key: B T_enc d_k, value: B T_enc d_v, mask: B T_enc")
HEAD_SCALED = {
    name: axes if name == "mask" else ("B", "n_heads", *axes[1:])
    for name, axes in MASKED_SCALED.items()
}
PROJECTIONS = {name: ("d_model", "d_model") for name in ("W_q", "W_k", "W_v", "W_o")}
SELF = {"x": ("B", "T_enc", "d_model"), **PROJECTIONS, "n_heads": ()}
REGRESSION = shapes(
    "encoder_states: B T_enc d_h, W_a: d_attn d_h, v_a: d_attn, w_out: d_h one, target: B"
)
CAUSAL = shapes("query: B T_enc d_k, key: B T_enc d_k, value: B T_enc d_v")
LUONG_STEP = shapes(
    "y_prev: d_y, s_prev: d_h, encoder_states: T_enc d_h, W_s: d_h d_h, W_y: d_h d_y"
)
POSITIONS = shapes("x: B T_enc d_model, position_table: max_len d_model")
STATES = ("decoder_state", "encoder_states")
QKVM = ("query", "key", "value", "mask")


def over_states(shape):
    """The shapes of a batch, given those of one sequence."""
    return {name: (("B", *axes) if name in STATES else axes) for name, axes in shape.items()}


def both(name, function, shape, formula):
    """The four files of one scoring function: numpy and torch, one sequence and a batch."""
    for framework in ("numpy", "torch"):
        yield Example(f"{framework}/{name}.py", function, shape, formula)
        yield Example(
            f"{framework}/{name}_batched.py", function, over_states(shape), formula, STATES
        )


def plain(name, function, shape, formula):
    return Example(f"numpy/{name}.py", function, shape, formula)


def in_both(name, function, shape, formula, batched):
    """A file of the same name for numpy and for torch."""
    return [
        Example(f"{f}/{name}.py", function, shape, formula, batched) for f in ("numpy", "torch")
    ]


def heads(path):
    """General attention with several heads, for a batch."""
    formula = formulas.multi_head_general
    return Example(path, "multi_head_general_attention", over_states(HEADS), formula, STATES)


def scaled(path, shape, formula):
    return Example(path, "scaled_dot_product_attention", shape, formula, QKVM)


EXAMPLES = [
    *both("additive", "additive_attention", ADDITIVE, formulas.additive),
    *both("dot", "dot_attention", DOT, formulas.dot),
    *both("concat", "concat_attention", CONCAT, formulas.concat),
    *in_both("general", "general_attention", GENERAL, formulas.general, ()),
    *in_both(
        "general_batched",
        "general_attention",
        STEPS,
        formulas.all_steps_general,
        ("decoder_states", "encoder_states"),
    ),
    plain("additive_plain", "additive_attention", ADDITIVE, formulas.additive),
    plain("dot_plain", "dot_attention", DOT, formulas.dot),
    plain("general_plain", "general_attention", GENERAL, formulas.general),
    plain("additive_padding", "additive_attention", ADDITIVE, formulas.padded_additive),
    plain("worked_example", "dot_attention", DOT, formulas.dot),
    *in_both(
        "masked_softmax",
        "masked_general_attention",
        MASKED,
        formulas.masked_general,
        (*STATES, "lengths"),
    ),
    plain("multi_head_general", "multi_head_general_attention", HEADS, formulas.multi_head_general),
    heads("numpy/multi_head_general_batched.py"),
    heads("torch/multi_head_general.py"),
    plain(
        "scaled_dot_product", "scaled_dot_product_attention", SCALED, formulas.scaled_dot_product
    ),
    scaled("numpy/scaled_dot_product_batched.py", MASKED_SCALED, formulas.scaled_dot_product),
    scaled("jax/scaled_dot_product.py", HEAD_SCALED, formulas.head_scaled_dot_product),
    scaled("keras/scaled_dot_product.py", HEAD_SCALED, formulas.head_scaled_dot_product),
    Example("jax/additive.py", "additive_attention", ADDITIVE, formulas.additive),
    Example(
        "jax/additive_batched.py",
        "additive_attention",
        over_states(ADDITIVE),
        formulas.additive,
        STATES,
    ),
    scaled("torch/scaled_dot_product.py", HEAD_SCALED, formulas.head_scaled_dot_product),
    Example(
        "jax/multi_head_self_attention.py",
        "multi_head_self_attention",
        SELF,
        formulas.multi_head_self_attention,
        ("x",),
    ),
    *in_both(
        "multi_head_self_attention",
        "multi_head_self_attention",
        SELF,
        formulas.multi_head_self_attention,
        ("x",),
    ),
    Example(
        "torch/causal_self_attention.py",
        "causal_self_attention",
        CAUSAL,
        formulas.causal_self_attention,
        QKVM[:3],
    ),
    Example(
        "torch/last_state.py",
        "last_state_attention",
        shapes("encoder_states: B T_enc d_h"),
        formulas.last_state,
        STATES[1:],
    ),
    Example("numpy/luong_step.py", "decoder_step", LUONG_STEP, formulas.luong_step),
    Example(
        "torch/learned_positions.py",
        "self_attention",
        POSITIONS,
        formulas.positioned_self_attention,
        ("x",),
    ),
    Example(
        "torch/attention_regression.py", "attention_regression", REGRESSION, formulas.regression
    ),
]

BY_PATH = {example.path: example for example in EXAMPLES}


def twins():
    """The torch and numpy files that take the same arrays."""
    for example in EXAMPLES:
        other = BY_PATH.get(example.path.replace("numpy/", "torch/"))
        if example.framework == "numpy" and other and other.shapes == example.shapes:
            yield other.path, example.path
    yield "torch/multi_head_general.py", "numpy/multi_head_general_batched.py"
