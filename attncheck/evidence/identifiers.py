"""What expressions are called: the number that pads, the lengths of sequences."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import libcst as cst

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z]+")
_PADDING = frozenset({"pad", "padding", "padid", "padidx", "padtoken"})
_SHAPES = frozenset({"shape", "shapes", "dims", "sizes"})
_LENGTHS = frozenset({"len", "lens", "length", "lengths"})
#: Attributes that are a tensor itself, turned.
_TURNS = frozenset({"T", "mT", "H", "mH"})
_CAUSAL = frozenset({"causal", "subsequent", "future", "lookahead", "autoregressive"})
#: Beside a word for lengths: counts of something else than of a sequence's own positions.
_OTHER_LENGTHS = frozenset(
    (
        *("max", "min", "pad", "pads", "padding", "past", "cache", "cached", "prefix", "prompt"),
        *("mem", "chunk", "window", "start", "left", "skip", "shift", "offset", "begin", "from"),
        *("stride", "hop", "total", "hidden", "masked", "mask", "drop", "num", "diff", "delta"),
    )
)

#: A name that is given a module which multiplies half of the features with the others' activation.
_GATED = re.compile(r"(\w+)\s*=\s*(?:\w+\.)*\w*(?:AndMul|GLU|Glu|Gated)\w*\(")


def names_of_gates(lines: Iterable[str]) -> set[str]:
    """The names of modules of which the result has half as many features as their input."""
    return {name for line in lines for name in _GATED.findall(line)}


def words_of(name: str) -> list[str]:
    """The words of an identifier, in small letters: ``padIdx`` and ``PAD_IDX`` have two."""
    return [word.lower() for word in _CAMEL.split(name) if word]


def names_shape(name: str) -> bool:
    """Whether something is called a list of sizes, and not one size: ``feat_dims``."""
    return not _SHAPES.isdisjoint(words_of(name))


def names_padding(name: str) -> bool:
    """Whether something is called the number that sequences are padded with."""
    return not _PADDING.isdisjoint(words_of(name))


def names_lengths(name: str) -> bool:
    """Whether something is called the lengths of sequences, without their padding."""
    words = words_of(name)
    return bool(words) and words[-1] in _LENGTHS and _OTHER_LENGTHS.isdisjoint(words)


def names_causal(name: str) -> bool:
    """Whether something is called a mask that hides what comes later."""
    words = words_of(name)
    return not _CAUSAL.isdisjoint(words) or "look_ahead" in "_".join(words)


def spoken(node: cst.CSTNode | None) -> str | None:
    """What an expression is about: ``lengths`` of ``self.lengths[:, None].long()``."""
    while node is not None:
        kind = type(node).__name__
        if kind == "Name":
            return str(getattr(node, "value"))  # noqa: B009
        node, name = _inside(node, kind)
        if name is not None:
            return name
    return None


def _inside(node: cst.CSTNode, kind: str) -> tuple[cst.CSTNode | None, str | None]:
    """The expression that another one is about, or the name that it ends in."""
    if kind == "Subscript":
        return getattr(node, "value", None), None
    if kind == "Attribute":
        name = node.attr.value  # type: ignore[attr-defined]
        return (node.value, None) if name in _TURNS else (None, name)  # type: ignore[attr-defined]
    function = getattr(node, "func", None) if kind == "Call" else None
    return (None if function is None else getattr(function, "value", None)), None


def names_in(node: cst.CSTNode | None) -> Iterator[str]:
    """The names and texts that a short expression is written with."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        kind = type(each).__name__
        if kind in ("Name", "SimpleString"):
            yield str(each.value)  # type: ignore[union-attr]
        elif kind == "Attribute":
            waiting += [each.attr, each.value]  # type: ignore[union-attr]
        elif kind == "Subscript":
            slices = each.slice  # type: ignore[union-attr]
            waiting += [each.value, *(item.slice for item in slices)]  # type: ignore[union-attr]
        elif kind == "Index":
            waiting.append(each.value)  # type: ignore[union-attr]
        elif kind == "Call":
            waiting += [each.func, *(item.value for item in each.args)]  # type: ignore[union-attr]
        elif kind == "UnaryOperation":
            waiting.append(each.expression)  # type: ignore[union-attr]
        elif kind == "Comparison":
            sides = (item.comparator for item in each.comparisons)  # type: ignore[union-attr]
            waiting += [each.left, *sides]  # type: ignore[union-attr]
