"""Patterns keep the identity of axes, remember what was merged, and say what they did."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from attncheck.algebra.reshape import Order
from attncheck.algebra.shape import COPIES, Axis, Shape
from attncheck.operators.events import (
    Einsum,
    Expansion,
    Fault,
    Joining,
    NewAxis,
    Permutation,
    Rearranging,
    Reduction,
)
from attncheck.values.tensor import Tensor
from attncheck.values.value import UNKNOWN, Mapping, Sequence, ShapeOf

from .calling import Names, shape, tags

FUNCTIONS = {"rearrange": (), "repeat": (), "reduce": ("sum",)}


def call(kind: str, sizes: str, pattern: str, **lengths: Any) -> Any:
    names = Names()
    x = names.tensor("x", sizes)
    known = {key: names.size(size) for key, size in lengths.items()}
    return names.call(f"einops.{kind}", x, pattern, *FUNCTIONS[kind], **known)


SHAPES = [
    ("rearrange", "B T d_model", "b t (h d) -> b h t d", {"h": "n"}, "(B, n, T, d_model//n)"),
    ("rearrange", "B n T d", "b h t d -> b t (h d)", {}, "(B, T, n*d)"),
    ("rearrange", "B T d", "b t d -> (b t) d", {}, "(B*T, d)"),
    ("rearrange", "B T d", "... d -> d ...", {}, "(d, B, T)"),
    ("rearrange", "B T d", "b ... -> b (...)", {}, "(B, T*d)"),
    ("rearrange", "B 1 d", "b 1 d -> b d 1", {}, "(B, d, 1)"),
    ("rearrange", "...", "b t d -> d t b", {}, "(x_2, x_1, x_0)"),
    ("rearrange", "... d", "... d -> d ...", {}, "(d, ...)"),
    ("rearrange", "... d", "b ... d -> b (...) d", {}, "(x_0, ?, d)"),
    ("rearrange", "B ... d", "b ... d -> (b d) ...", {}, "(B*d, ...)"),
    ("repeat", "B T d", "b t d -> b h t d", {"h": "n"}, "(B, n, T, d)"),
    ("repeat", "B d", "b d -> (b 2) d", {}, "(2*B, d)"),
    ("reduce", "B T d", "b t d -> b d", {}, "(B, d)"),
    ("reduce", "B T d", "b (t w) d -> b t d", {"w": "4"}, "(B, T//4, d)"),
    ("reduce", "B T d", "b ... -> b", {}, "(B,)"),
    ("reduce", "B T d", "b t d -> b 1 d", {}, "(B, 1, d)"),
]


@pytest.mark.parametrize(("kind", "sizes", "pattern", "lengths", "expected"), SHAPES)
def test_shapes(kind: str, sizes: str, pattern: str, lengths: Any, expected: str) -> None:
    assert str(shape(call(kind, sizes, pattern, **lengths))) == expected


def test_whole_axes_keep_their_birth() -> None:
    assert tags(call("rearrange", "B T d", "b t (h d) -> b h t d", h="n")) == [
        "x.0",
        None,
        "x.1",
        None,
    ]


def test_merged_axes_come_apart_as_they_were() -> None:
    names = Names()
    x = names.tensor("x", "B n T d")
    merged = names.call("einops.rearrange", x, "b h t d -> (b h) t d")
    parts = shape(merged).axes[0].parts
    assert [str(part.tag and part.tag.index) for part in parts] == ["0", "1"]
    apart = names.call("einops.rearrange", merged.value, "(b h) t d -> b h t d", h=names.size("n"))
    assert tags(apart) == ["x.0", "x.1", "x.2", "x.3"]


def test_a_split_against_the_order_of_the_parts_is_seen() -> None:
    names = Names()
    merged = names.call("einops.rearrange", names.tensor("x", "B n T d"), "b h t d -> b t (h d)")
    wrong = names.call("einops.rearrange", merged.value, "b t (d h) -> b t h d", h=names.size("n"))
    assert isinstance(wrong.event, Rearranging)
    assert [split.order for split in wrong.event.splits] == [Order.SCRAMBLED]


def test_what_a_pattern_divides_is_whole_again_when_it_is_multiplied() -> None:
    names = Names()
    x = names.tensor("x", "B T d_model")
    heads = names.call("einops.rearrange", x, "b t (h d) -> b h t d", h=names.size("n"))
    merged = names.call("einops.rearrange", heads.value, "b h t d -> b t (h d)")
    assert str(shape(merged)) == "(B, T, d_model)"


def test_a_division_that_need_not_come_out_even_stays() -> None:
    names = Names()
    size = names.size("d") // names.size("n")
    x = Tensor(Shape((Axis(names.size("n")), Axis(size))), "torch")
    merged = names.call("einops.rearrange", x, "h d -> (h d)")
    assert str(shape(merged)) == "(n*(d//n),)"


def test_marks_of_a_softmax_are_carried() -> None:
    names = Names()
    x = names.tensor("x", "B n T S")
    assert x.shape is not None
    keys = replace(x.shape.lead[3], normalised=frozenset({7}))
    weights = x.with_shape(Shape((*x.shape.lead[:3], keys)))
    for pattern, place in (("b h i j -> (b h) i j", 2), ("b h i j -> b i j h", 2)):
        made = shape(names.call("einops.rearrange", weights, pattern))
        assert made.axes[place].normalised == {7}
    merged = names.call("einops.rearrange", weights, "b h i j -> b h (i j)")
    apart = names.call("einops.rearrange", merged.value, "b h (i j) -> b h i j", i=names.size("T"))
    assert shape(apart).axes[3].normalised == {7}


@pytest.mark.parametrize(
    ("pattern", "outside"), [("b d -> (n b) d", True), ("b d -> (b n) d", False)]
)
def test_copies_lie_where_the_pattern_says(pattern: str, outside: bool) -> None:
    outcome = call("repeat", "B d", pattern, n="k")
    parts = shape(outcome).axes[0].parts
    assert [part.made == COPIES for part in parts] == [outside, not outside]
    assert isinstance(outcome.event, Expansion)
    assert (str(outcome.event.count), outcome.event.outside) == ("k", outside)


EVENTS = [
    ("rearrange", "b t d -> b d t", Permutation((0, 2, 1), "rearrange")),
    ("rearrange", "... d -> d ...", Permutation((2, 0, 1), "rearrange")),
    ("rearrange", "b t d -> b 1 t d ()", NewAxis((1, 4))),
    ("rearrange", "b t d -> b t d", Rearranging((), ((0,), (1,), (2,)))),
    ("rearrange", "b t d -> d (b t) 1", Rearranging((), ((2,), (0, 1), ()))),
    ("rearrange", "b ... -> (...) b", Rearranging((), ((1, 2), (0,)))),
    ("reduce", "b t d -> b d", Reduction("sum", (1,), keepdims=False)),
    ("reduce", "b t d -> b 1 1", Reduction("sum", (1, 2), keepdims=True)),
    ("reduce", "b ... -> b", Reduction("sum", (1, 2), keepdims=False)),
    ("reduce", "b t d -> d b", None),
    ("reduce", "b t d -> 1 b d", None),
    ("reduce", "b t d -> b d t", Permutation((0, 2, 1), "rearrange")),
    ("repeat", "b t d -> b d t", Permutation((0, 2, 1), "rearrange")),
    ("repeat", "b t d -> b 2 t d", Expansion("repeat")),
]


@pytest.mark.parametrize(("kind", "pattern", "event"), EVENTS)
def test_events(kind: str, pattern: str, event: object) -> None:
    assert call(kind, "B T d", pattern).event == event


def test_sources_of_a_split_axis() -> None:
    event = call("rearrange", "B T d", "b t (h d) -> (b h) t d", h="n").event
    assert isinstance(event, Rearranging)
    assert event.sources == ((0, 2), (1,), (2,))
    assert [str(split.shape) for split in event.splits] == ["(n, d//n)"]


def test_a_list_is_stacked_in_front() -> None:
    names = Names()
    pair = Sequence((names.tensor("x", "B d"), names.tensor("y", "B d")), mutable=True)
    outcome = names.call("einops.rearrange", pair, "k b d -> b (k d)")
    assert str(shape(outcome)) == "(B, 2*d)"
    assert outcome.event == Joining("stack", None)


@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_the_result_is_of_the_library_of_what_is_given(library: str) -> None:
    names = Names()
    x = names.tensor("x", "B T d", library)
    listed = Sequence((x, x), mutable=True)
    outcomes = [
        names.call("einops.rearrange", x, "b t d -> t b d"),
        names.call("einops.rearrange", listed, "k b t d -> t b d k"),
        names.call("einops.einsum", x, x, "b t d, b s d -> b t s"),
        names.call("einops.pack", listed, "b * d"),
    ]
    for outcome in outcomes:
        made = outcome.value.items[0] if isinstance(outcome.value, Sequence) else outcome.value
        assert isinstance(made, Tensor)
        assert made.library == library


CLASHES = [
    ("rearrange", "2 3", "b t d -> b d t", {}, Fault.RANK, "names 3 axes in its pattern, but is"),
    (
        "rearrange",
        "2",
        "b ... d -> b d ...",
        {},
        Fault.RANK,
        "names at least 2 axes in its pattern",
    ),
    (
        "rearrange",
        "2 9",
        "b (h d) -> b h d",
        {"h": "2"},
        Fault.SPLIT,
        "splits an axis of size 9 into (h d), h = 2",
    ),
    (
        "rearrange",
        "2 9",
        "b (h d) -> b h d",
        {"h": "2", "d": "4"},
        Fault.SPLIT,
        "splits an axis of size 9 into (h d), h = 2, d = 4",
    ),
    (
        "rearrange",
        "2 9",
        "b d -> d b",
        {"d": "8"},
        Fault.SPLIT,
        "takes an axis of size 9 for d = 8",
    ),
    (
        "rearrange",
        "2 9",
        "b 1 -> b",
        {},
        Fault.SPLIT,
        "takes an axis of size 9 for an axis of size 1",
    ),
    (
        "rearrange",
        "B T",
        "b t -> b",
        {},
        Fault.EINSUM,
        "has t on the left side of its pattern only",
    ),
    ("repeat", "B T", "b t -> b t h", {}, Fault.EINSUM, "has the new axis h in its pattern, but"),
]


@pytest.mark.parametrize(("kind", "sizes", "pattern", "lengths", "fault", "text"), CLASHES)
def test_clashes(
    kind: str, sizes: str, pattern: str, lengths: Any, fault: Fault, text: str
) -> None:
    clash = call(kind, sizes, pattern, **lengths).clash
    assert clash is not None
    assert clash.fault is fault
    assert clash.text.startswith(text)


@pytest.mark.parametrize("pattern", [5, ("b", "t")])
def test_a_pattern_is_text(pattern: object) -> None:
    names = Names()
    outcome = names.call("einops.rearrange", names.tensor("x", "B T"), pattern)
    assert outcome.clash is not None
    assert outcome.clash.text == "takes a text as its pattern"


def test_an_unknown_pattern_gives_an_unknown_shape() -> None:
    names = Names()
    outcome = names.call("einops.rearrange", names.tensor("x", "B T"), UNKNOWN)
    assert outcome.clash is None
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.shape is None


def test_unknown_lengths_give_unknown_sizes() -> None:
    names = Names()
    x = names.tensor("x", "B T d")
    outcome = names.call("einops.rearrange", x, "b t (h d) -> b h t d", h=UNKNOWN)
    assert str(shape(outcome)) == "(B, ?, T, ?)"


def test_a_function_of_ones_own_may_reduce_to_anything() -> None:
    names = Names()
    x = names.tensor("x", "B T d")
    outcome = names.call("einops.reduce", x, "b t d -> b d", UNKNOWN)
    assert isinstance(outcome.value, Tensor)
    assert outcome.value.shape is None


# -- einsum ----------------------------------------------------------------------------------------


def test_einsum_names_are_letters_of_more_than_one_letter() -> None:
    names = Names()
    q, k = names.tensor("q", "B T_dec d_k"), names.tensor("k", "B T_enc d_k")
    outcome = names.call("einops.einsum", q, k, "b query d, b key d -> b query key")
    assert str(shape(outcome)) == "(B, T_dec, T_enc)"
    assert isinstance(outcome.event, Einsum)
    assert outcome.event.inputs == (("b", "query", "d"), ("b", "key", "d"))
    assert outcome.event.output == ("b", "query", "key")


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("b q d, b k d -> b q z", "puts out the letter z, which no operand has"),
        ("b q d, b k d -> b q long", "puts out the axis long, which no operand has"),
        ("b q feature, b feature k -> b q k", "uses the axis feature for d_s and for T_enc"),
        ("b q d, b k -> b q k", "names 2 axes as 'bk', but operand 1 is (B, T_enc, d_h)"),
        ("b q d, b keys -> b q keys", "names 2 axes as 'b keys', but operand 1 is"),
        ("b q d -> b q d", "has subscripts for 1 operands but gets 2"),
        ("b q d, b k d", "needs a pattern of two sides with -> between them"),
        ("b (q d), b k d -> b q k", "splits, merges or counts an axis in its pattern"),
    ],
)
def test_einsum_clashes(pattern: str, text: str) -> None:
    names = Names()
    q, k = names.tensor("q", "B T_dec d_s"), names.tensor("k", "B T_enc d_h")
    clash = names.call("einops.einsum", q, k, pattern).clash
    assert clash is not None
    assert clash.fault is Fault.EINSUM
    assert clash.text.startswith(text)


def test_einsum_with_its_pattern_in_front() -> None:
    names = Names()
    q = names.tensor("q", "B T")
    clash = names.call("einops.einsum", "b t -> b", q).clash
    assert clash is not None
    assert clash.text == "takes its pattern behind the tensors"


# -- packing ---------------------------------------------------------------------------------------


def test_what_is_packed_comes_apart_as_it_was() -> None:
    names = Names()
    x = names.tensor("x", "B H W d")
    packed = names.call("einops.pack", Sequence((x,)), "b * d").value
    assert isinstance(packed, Sequence)
    assert packed.items is not None
    whole, shapes = packed.items
    assert isinstance(whole, Tensor)
    assert str(whole.shape) == "(B, H*W, d)"
    outcome = names.call("einops.unpack", whole, shapes, "b * d")
    assert isinstance(outcome.value, Sequence)
    assert outcome.value.items is not None
    (back,) = outcome.value.items
    assert isinstance(back, Tensor)
    assert back.shape == x.shape


def test_what_is_packed_of_an_open_shape_is_remembered() -> None:
    names = Names()
    x = names.tensor("x", "B ... d")
    packed = names.call("einops.pack", Sequence((x,)), "b * d").value
    assert isinstance(packed, Sequence)
    assert packed.items is not None
    assert isinstance(packed.items[1], Sequence)
    assert packed.items[1].items is not None
    assert isinstance(packed.items[1].items[0], ShapeOf)
    outcome = names.call("einops.unpack", *packed.items, "b * d")
    assert isinstance(outcome.value, Sequence)
    assert outcome.value.items is not None
    (back,) = outcome.value.items
    assert isinstance(back, Tensor)
    assert back.shape == x.shape


def test_pieces_that_do_not_make_up_the_axis() -> None:
    names = Names()
    clash = names.call("einops.unpack", names.tensor("x", "B 9 d"), [[2], [4]], "b * d").clash
    assert clash is not None
    assert clash.text == "unpacks an axis of 9 into pieces of (2, 4)"


def test_sizes_by_name() -> None:
    names = Names()
    value = names.call("einops.parse_shape", names.tensor("x", "B T d"), "b _ d").value
    assert isinstance(value, Mapping)
    assert [(key, str(size.size)) for key, size in value.items] == [("b", "B"), ("d", "d")]
