"""The pieces of a scrambled reshape: every axis a product of them, in either order."""

import pytest

from attncheck.algebra.dealing import dealt
from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis
from attncheck.algebra.size import Symbol, const, of

B, T, H, D, C, h, w, p = (of(Symbol(name)) for name in "BTHDChwp")
THREE = const(3)

DEALT = [
    ((B, T, H * D), (B * H, T, D), "B T H D", "B H T D"),
    ((B * H, T, D), (B, T, H * D), "B H T D", "B T H D"),
    ((B, T, C), (B, H, T, C // H), "B T H C//H", "B H T C//H"),
    ((B, T, THREE * H * D), (THREE, B, H, T, D), "B T 3 H D", "3 B H T D"),
    ((B, h // p, w // p, p, p), (B, h, w), "B h//p w//p p p", "B h//p p w//p p"),
    ((T, D), (D, T), "T D", "D T"),
]


@pytest.mark.parametrize(("old", "new", "lie", "read"), DEALT)
def test_dealt(old, new, lie, read):
    pieces = dealt([Axis(size) for size in old], [Axis(size) for size in new], Facts())
    ordered = sorted(pieces, key=lambda piece: piece.new)
    assert [str(piece.size) for piece in pieces] == lie.split()
    assert [str(piece.size) for piece in ordered] == read.split()


def test_axes_that_were_merged_come_apart_as_they_were():
    merged = Axis(H * T, parts=(Axis(T), Axis(H)))
    pieces = dealt([Axis(B), merged], [Axis(B), Axis(H), Axis(T)], Facts())
    assert [str(piece.size) for piece in pieces] == ["B", "T", "H"]


@pytest.mark.parametrize("new", [(Axis(B), Axis(None)), (Axis(B), Axis(T + 1))])
def test_what_has_no_pieces(new):
    assert dealt([Axis(B), Axis(T)], new, Facts()) is None
