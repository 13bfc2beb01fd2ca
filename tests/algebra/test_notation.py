"""Sizes and shapes as people write them, and as data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attncheck.algebra.notation import parse_shape, parse_size
from attncheck.algebra.shape import Axis, Row, Shape, open_shape, shape_of
from attncheck.algebra.size import Symbol, of
from attncheck.algebra.text import shape_data, size_data


class Names(dict[str, Symbol]):
    """One symbol for each name."""

    def __missing__(self, name: str) -> Symbol:
        return self.setdefault(name, Symbol(name))


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("7", 7),
        ("T_enc", "T_enc"),
        ("2*d_h", "2*d_h"),
        ("2d_h", "2*d_h"),
        ("2×d_h", "2*d_h"),
        ("T - 1", "T - 1"),
        ("d_model // n_heads", "d_model//n_heads"),
        ("d_model / n_heads", "d_model//n_heads"),
        ("n_heads * (d_model / n_heads)", "n_heads*(d_model//n_heads)"),
        ("config.hidden_size + 1", "config.hidden_size + 1"),
        ("2**5", 32),
        ("w**2 % 4", "w**2%4".replace("w**2", "(w**2)")),
        ("-(-T // 2)", "T - T//2"),
        ("  (T)  ", "T"),
    ],
)
def test_sizes_are_read(text: str, data: int | str) -> None:
    assert size_data(parse_size(text, Names().__getitem__)) == data


@pytest.mark.parametrize(
    "text",
    [
        "",
        "T enc",
        "1.5",
        "1e5",
        "True",
        "x[0]",
        "f(x)",
        "a if b else c",
        "lambda: 1",
        "T == 2",
        "T // 0",
        "T % 0",
        "2**T",
        "T**-1",
        "T**100",
        "9**9**9",
        "'T'",
        "(T, d)",
        "a" * 201,
        "(" * 150,
        "-" * 199 + "1j",
        "\x00",
        "\ud800",
    ],
)
def test_what_is_no_size_is_none(text: str) -> None:
    assert parse_size(text, Names().__getitem__) is None


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("T_enc d_h", ["T_enc", "d_h"]),
        ("(T_enc, d_h)", ["T_enc", "d_h"]),
        ("[B, T, D]", ["B", "T", "D"]),
        ("(B T D)", ["B", "T", "D"]),
        ("B, T", ["B", "T"]),
        ("B x T x D", ["B", "T", "D"]),
        ("B×T × D", ["B", "T", "D"]),
        ("[B x T]", ["B", "T"]),
        ("(T,)", ["T"]),
        ("(T)", ["T"]),
        ("T", ["T"]),
        ("()", []),
        ("", []),
        ("3 224 224", [3, 224, 224]),
        ("(B, T + 1, 2 * d_h)", ["B", "T + 1", "2*d_h"]),
        ("(B, 2H)", ["B", "2*H"]),
        ("(B, T, (d_model // n_heads))", ["B", "T", "d_model//n_heads"]),
        ("(1, T)", [1, "T"]),
        ("(B, _, ?, None, -1)", ["B", "?", "?", "?", "?"]),
        ("(B, ..., D)", ["B", "...", "D"]),
        ("... d", ["...", "d"]),
        ("(N, *, H)", ["N", "...", "H"]),
        ("(N, \u2217)", ["N", "..."]),
        ("(N, *, *, C)", ["N", "?", "?", "C"]),
        # jaxtyping
        ("*batch t d", ["...", "t", "d"]),
        ("*#batch t", ["...", "t"]),
        ("b #n n+1 batch=4", ["b", "?", "n + 1", 4]),
        ("?foo _bar 1", ["?", "?", 1]),
    ],
)
def test_shapes_are_read(text: str, data: list[int | str]) -> None:
    assert shape_data(parse_shape(text, Names().__getitem__)) == data


@pytest.mark.parametrize(
    "text",
    [
        "(B, T) or (T,)",
        "hello, world!",
        "((a, b), c)",
        "(a,,b)",
        ",",
        "(a",
        "a)",
        "(..., T, ...)",
        "*batch *rest",
        "B * T",
        "(-2, T)",
        "see below.",
        "f(x) y",
        "T d" * 100,
    ],
)
def test_what_is_no_shape_is_none(text: str) -> None:
    assert parse_shape(text, Names().__getitem__) is None


def test_one_name_is_one_symbol() -> None:
    names = Names()
    shape = parse_shape("(T, T, 2*T)", names.__getitem__)
    size = of(names["T"])
    assert shape == shape_of(size, size, 2 * size)


@given(st.text(alphabet="TdB_ 0123(),[]*+-/.%?#x=×…'\"\\\n", max_size=40))
def test_no_text_is_an_error(text: str) -> None:
    names = Names()
    shape, size = parse_shape(text, names.__getitem__), parse_size(text, names.__getitem__)
    for data in (shape_data(shape) or [], [size_data(size)]):
        assert all(isinstance(item, int | str) for item in data)


def test_unknown_shapes_as_data() -> None:
    assert shape_data(None) is None
    assert shape_data(open_shape("x")) is None
    assert shape_data(Shape((), Row("x"), (Axis(None),))) == ["...", "?"]
    assert size_data(None) == "?"
