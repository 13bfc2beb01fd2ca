"""Layers where a size is a symbol, and what the registry test cannot draw."""

from __future__ import annotations

import pytest

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import Symbol, const, of
from attncheck.frameworks import lookup
from attncheck.frameworks.weights import weight_of
from attncheck.operators.call import Call
from attncheck.operators.events import Elementwise, Fault, Softmax
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN, Const, Int, Layer, Sequence, Value

SYMBOLS = {name: of(Symbol(name)) for name in ("B", "C", "L", "H", "W", "d")}


def run(layer: str, making: dict[str, Value], *sizes: str | int, serial: int = 0):
    """The outcome of a layer made with these keywords, called on a tensor of these sizes."""
    spelled = lookup.layers()[f"torch.nn.{layer}"]
    axes = (Axis(SYMBOLS[s] if isinstance(s, str) else const(s)) for s in sizes)
    x = Tensor(Shape(tuple(axes)), "torch", "float")
    settings = spelled.making.bind([], making)
    called = spelled.calling.bind([x], {})
    assert settings is not None
    assert called is not None
    call = Call(Facts(), settings | called, "torch", spelled.path, serial)
    return spelled.operator(call)


def number(value: int) -> Int:
    return Int(const(value))


def size(name: str) -> Int:
    return Int(SYMBOLS[name])


CONV = {"in_channels": size("C"), "out_channels": size("d"), "kernel_size": number(3)}


@pytest.mark.parametrize(
    ("layer", "making", "sizes", "shape"),
    [
        ("Conv1d", CONV, ("B", "C", "L"), "(B, d, L - 2)"),
        ("Conv1d", CONV | {"padding": number(1)}, ("B", "C", "L"), "(B, d, L)"),
        ("Conv1d", CONV | {"padding": Const("same")}, ("C", "L"), "(d, L)"),
        ("Conv1d", CONV | {"padding": UNKNOWN}, ("B", "C", "L"), "(B, d, ?)"),
        (
            "Conv2d",
            CONV | {"stride": number(2)},
            ("C", "H", "W"),
            "(d, (H + 1)//2 - 1, (W + 1)//2 - 1)",
        ),
        ("ConvTranspose1d", CONV | {"stride": number(2)}, ("C", "L"), "(d, 2*L + 1)"),
        ("MaxPool1d", {"kernel_size": number(2)}, ("C", "L"), "(C, L//2)"),
        ("AdaptiveAvgPool2d", {"output_size": number(1)}, ("B", "C", "H", "W"), "(B, C, 1, 1)"),
        ("Upsample", {"scale_factor": Const(0.5)}, ("B", "C", "L"), "(B, C, L//2)"),
        ("Upsample", {"scale_factor": Const(0.1)}, ("B", "C", "L"), "(B, C, ?)"),
        ("PixelShuffle", {"upscale_factor": number(2)}, ("C", "H", "W"), "(C//4, 2*H, 2*W)"),
        ("Flatten", {}, ("B", "C", "H", "W"), "(B, C*H*W)"),
        ("GLU", {}, ("B", "d"), "(B, d//2)"),
        (
            "Embedding",
            {"num_embeddings": UNKNOWN, "embedding_dim": size("d")},
            ("B", "L"),
            "(B, L, d)",
        ),
    ],
)
def test_sizes_as_symbols(layer, making, sizes, shape):
    outcome = run(layer, making, *sizes)
    assert outcome.clash is None
    assert str(outcome.value.shape) == shape


@pytest.mark.parametrize(
    ("layer", "making", "sizes", "fault", "text"),
    [
        (
            "Conv1d",
            CONV | {"in_channels": number(8)},
            ("B", 4, "L"),
            Fault.FEATURES,
            "takes 8 channels, not 4",
        ),
        ("Conv1d", CONV, ("L",), Fault.RANK, "takes 2 or 3 axes, not (L,)"),
        ("Conv1d", CONV, ("C", 2), Fault.AXIS, "slides a window of 3 over 2"),
        (
            "ConvTranspose1d",
            CONV | {"padding": number(4)},
            ("C", 2),
            Fault.AXIS,
            "spreads 2 elements over -4 places",
        ),
        (
            "LayerNorm",
            {"normalized_shape": number(8)},
            ("B", 4),
            Fault.FEATURES,
            "normalises (4,) with sizes (8,)",
        ),
        (
            "GroupNorm",
            {"num_groups": number(3), "num_channels": number(8)},
            ("B", 8),
            Fault.SPLIT,
            "splits 8 channels into 3 groups",
        ),
        (
            "BatchNorm2d",
            {"num_features": size("C")},
            ("B", "C"),
            Fault.RANK,
            "takes 4 axes, not (B, C)",
        ),
    ],
)
def test_clashes_in_words(layer, making, sizes, fault, text):
    clash = run(layer, making, *sizes).clash
    assert (clash.fault, clash.text) == (fault, text)


def test_softmax_layers_mark_the_axis_like_the_function():
    outcome = run("Softmax", {"dim": number(-1)}, "B", "L", serial=7)
    assert outcome.event == Softmax(1)
    assert [axis.normalised for axis in outcome.value.shape.axes] == [frozenset(), {7}]
    assert run("Softmax", {}, "B", "L").event == Softmax(1, implicit=True)
    assert run("LogSoftmax", {"dim": number(0)}, "B", "L").event == Softmax(0, log=True)
    assert run("Softmax2d", {}, "B", "C", "H", "W").event == Softmax(1)


@pytest.mark.parametrize(
    ("layer", "symbol"), [("Tanh", "tanh"), ("LeakyReLU", "leaky_relu"), ("Dropout2d", "dropout")]
)
def test_activations_tell_their_functions_name(layer, symbol):
    assert run(layer, {}, "B", "L").event == Elementwise(symbol, None)


def test_batch_normalisation_without_weights_takes_any_channels():
    making = {
        "num_features": number(8),
        "affine": Const(False),
        "track_running_stats": Const(False),
    }
    assert run("BatchNorm1d", making, "B", 4).clash is None
    assert run("InstanceNorm1d", {"num_features": number(8)}, "B", 4, "L").clash is None


def test_groups_divide_channels_that_a_layer_finds_out_on_its_first_call():
    making = {"out_channels": number(8), "kernel_size": number(3), "groups": number(2)}
    assert run("LazyConv1d", making, "B", 4, "L").clash is None
    assert run("LazyConv1d", making, "B", 3, "L").clash.fault is Fault.SPLIT


def test_group_normalisation_without_weights_takes_any_channels_that_it_divides():
    making = {"num_groups": number(2), "num_channels": number(4), "affine": Const(False)}
    assert run("GroupNorm", making, "B", 10).clash is None
    assert run("GroupNorm", making, "B", 9).clash.fault is Fault.SPLIT
    assert run("GroupNorm", making | {"affine": Const(True)}, "B", 10).clash.fault is Fault.FEATURES


def test_the_mean_of_all_places_is_taken_of_any_number_of_axes():
    outcome = run("AdaptiveAvgPool2d", {"output_size": number(1)}, 2, 3, "C", "H", "W")
    assert (outcome.value.shape, outcome.clash) == (None, None)


def test_a_program_may_name_the_lengths_of_a_transposed_convolution():
    spelled = lookup.layers()["torch.nn.ConvTranspose1d"]
    x = Tensor(Shape((Axis(SYMBOLS["C"]), Axis(SYMBOLS["L"]))), "torch", "float")
    settings = spelled.making.bind([], dict(CONV))
    called = spelled.calling.bind([x], {"output_size": Sequence((number(9),))})
    assert settings is not None
    assert called is not None
    outcome = spelled.operator(Call(Facts(), settings | called, "torch", spelled.path))
    assert str(outcome.value.shape) == "(d, ?)"


@pytest.mark.parametrize(
    ("name", "sizes", "weight", "given"),
    [
        ("Embedding", ("L", "d"), "(L, d)", "(B, 4, d)"),
        ("EmbeddingBag", ("L", "d"), "(L, d)", "(B, d)"),
        ("Embedding", (), "(?, ?)", "(B, 4, ?)"),
    ],
)
def test_tables_made_of_vectors(name: str, sizes: tuple[str, ...], weight: str, given: str) -> None:
    spelling = lookup.find(f"torch.nn.{name}.from_pretrained")
    assert spelling is not None
    shape = Shape(tuple(Axis(SYMBOLS[size]) for size in sizes)) if sizes else None
    bound = spelling.bind([Tensor(shape, "torch", "float")], {"freeze": Const(False)})
    assert bound is not None
    made = spelling.operator(Call(Facts(), bound, "torch", spelling.path)).value
    assert isinstance(made, Layer)
    layer = lookup.layers()[made.path]
    table = weight_of(layer, "weight", made.settings, Facts())
    assert isinstance(table, Tensor)
    assert str(table.shape) == weight
    x = Tensor(Shape((Axis(SYMBOLS["B"]), Axis(const(4)))), "torch", "int")
    called = layer.operator(Call(Facts(), {**made.settings, "x": x}, "torch", made.path)).value
    assert isinstance(called, Tensor)
    assert str(called.shape) == given


def test_no_table_is_made_of_what_is_no_matrix() -> None:
    spelling = lookup.find("torch.nn.Embedding.from_pretrained")
    assert spelling is not None
    bound = spelling.bind([Tensor(Shape((Axis(const(5)),)), "torch", "float")], {})
    assert bound is not None
    clash = spelling.operator(Call(Facts(), bound, "torch", spelling.path)).clash
    assert clash is not None
    assert (clash.fault, clash.text) == (Fault.RANK, "makes a table of a matrix, not of (5,)")
