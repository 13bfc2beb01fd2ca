"""The parameters that a layer is said to have, beside those that the real one has."""

from __future__ import annotations

import random
import warnings

import pytest

pytest.importorskip("torch")

from attncheck.algebra.facts import Facts
from attncheck.algebra.size import Symbol, const, of
from attncheck.frameworks import lookup
from attncheck.frameworks.spelling import Table
from attncheck.frameworks.weights import weight_of
from attncheck.operators.repeating import identity
from attncheck.values.tensor import Tensor
from attncheck.values.value import FALSE, NONE, UNKNOWN, Int, Sequence

from .harness import REFUSALS, Draw, Variant, find_real, real_argument, samplers, spread

#: Flax and Keras make parameters when a module is called first: their layers have none before.
LATE = ("flax.", "keras.")
LAYERS = {path: each for path, each in lookup.layers().items() if not path.startswith(LATE)}
#: Made on the first call, when the input is known.
LAZY = "torch.nn.Lazy"
#: Counts batches; no shape to speak of.
COUNTER = "num_batches_tracked"
#: Layers of which not every parameter is told: those of further layers and directions, of
#: projections that hang on whether two sizes differ.
PARTLY = {"torch.nn.RNN", "torch.nn.LSTM", "torch.nn.GRU", "torch.nn.MultiheadAttention"}


@pytest.mark.parametrize("kind", ["numbers", "symbols"])
@pytest.mark.parametrize("path", sorted(path for path in LAYERS if not path.startswith(LAZY)))
def test_parameters_are_those_of_the_library(path: str, kind: str) -> None:
    layer = LAYERS[path]
    compared = 0
    for seed in range(40):
        source = random.Random(f"{path}:{seed}")
        draw = Draw(source, kind)
        passed = spread(samplers()[layer.operator](draw, layer.making), layer.making, source)
        real = [real_argument(argument, "torch", source) for argument in passed.positional]
        named = {name: real_argument(a, "torch", source) for name, a in passed.keywords.items()}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                made = find_real(path)(*real, **named)
        except REFUSALS:
            continue
        variant = Variant("torch", kind, source, draw.symbols)
        positional = [variant.value(argument) for argument in passed.positional]
        keywords = {name: variant.value(a) for name, a in passed.keywords.items()}
        settings = layer.making.bind(positional, keywords)
        assert settings is not None
        found = {name: weight_of(layer, name, settings, Facts()) for name in layer.weights}
        numbers = draw.symbols
        shapes = {name: _sizes(value, numbers) for name, value in found.items()}
        compared += 1
        held = {name: tuple(tensor.shape) for name, tensor in _own(made) if name != COUNTER}
        if path in PARTLY:
            held = {name: shape for name, shape in held.items() if name in layer.weights}
        assert {name: shape for name, shape in shapes.items() if shape is not None} == held
    assert compared


def _own(module):
    """The parameters and buffers of a module that belong to none inside it."""
    return [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]


def _sizes(value, numbers):
    if value == NONE:
        return None
    assert isinstance(value, Tensor)
    assert value.shape is not None
    return tuple(axis.size.evaluate(numbers) for axis in value.shape.axes)


TABLE = Table("torch")
TABLE.add_layer(
    "torch.nn.Made",
    identity,
    "width, groups=1, kernel=3, affine=True, tracked=False",
    weights={
        "weight": "3*width width//groups *kernel:2 if affine",
        "mean": "width if affine and tracked",
        "kernels": "*kernel",
    },
)
MADE = TABLE.layers["torch.nn.Made"]
WIDTH = Int(of(Symbol("width")))


@pytest.mark.parametrize(
    ("name", "settings", "shape"),
    [
        ("weight", {"width": WIDTH}, "(3*width, width, 3, 3)"),
        ("weight", {"width": WIDTH, "kernel": Int(const(5))}, "(3*width, width, 5, 5)"),
        ("weight", {"width": Int(const(8)), "groups": Int(const(2))}, "(24, 4, 3, 3)"),
        ("weight", {"width": UNKNOWN, "kernel": UNKNOWN}, "(?, ?, ?, ?)"),
        ("kernels", {"kernel": Sequence((Int(const(1)), Int(const(2))))}, "(1, 2)"),
    ],
)
def test_notation(name, settings, shape):
    weight = weight_of(MADE, name, settings, Facts())
    assert isinstance(weight, Tensor)
    assert str(weight.shape) == shape
    assert (weight.library, weight.dtype, weight.optional) == ("torch", "float", False)


def test_flags_say_whether_there_is_a_parameter():
    assert weight_of(MADE, "weight", {"affine": FALSE}, Facts()) == NONE
    assert weight_of(MADE, "mean", {"width": WIDTH}, Facts()) == NONE
    maybe = weight_of(MADE, "mean", {"width": WIDTH, "tracked": UNKNOWN}, Facts())
    assert isinstance(maybe, Tensor)
    assert maybe.optional
    assert weight_of(MADE, "no_such", {"width": WIDTH}, Facts()) is None


def test_a_tuple_of_unknown_length_gives_no_shape():
    weight = weight_of(MADE, "kernels", {"width": WIDTH, "kernel": UNKNOWN}, Facts())
    assert isinstance(weight, Tensor)
    assert weight.shape is None
