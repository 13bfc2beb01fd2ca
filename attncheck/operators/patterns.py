"""The patterns of einops, by that library's own grammar: ``"b t (h d) -> b h t d"``.

A side is groups of axis names, outermost first: a name by itself is an axis, names in parentheses
are one axis that holds several, ``1`` and ``()`` an axis of size 1, ``...`` any number of axes.
Reference: einops.parsing.ParsedExpression; einops.einops._prepare_transformation_recipe.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import EllipsisType
from typing import TypeAlias

from attncheck.record import record

DOTS = "..."


@dataclass(frozen=True, slots=True, eq=False)
class Anonymous:
    """An axis that is written as its length, ``(h 2)``: a new one each time it is written."""

    size: int

    def __str__(self) -> str:
        return str(self.size)


Name: TypeAlias = str | Anonymous | EllipsisType
Group: TypeAlias = tuple[Name, ...]


@record
class Side:
    """One side of a pattern: its groups; ``...`` that stands by itself is no group."""

    groups: tuple[Group | EllipsisType, ...]

    @property
    def names(self) -> tuple[Name, ...]:
        """Every name (and ``...``) in order, also those in parentheses."""
        found: list[Name] = []
        for group in self.groups:
            found += (group,) if isinstance(group, EllipsisType) else group
        return tuple(found)

    @property
    def around(self) -> tuple[tuple[Group, ...], tuple[Group, ...]]:
        """The groups before and behind ``...``; all of them before where there is none."""
        cut = self.groups.index(...) if ... in self.groups else len(self.groups)
        parts = (self.groups[:cut], self.groups[cut + 1 :])
        before, behind = (
            tuple(group for group in part if not isinstance(group, EllipsisType)) for part in parts
        )
        return before, behind


@record
class Pattern:
    """Both sides of a pattern."""

    left: Side
    right: Side


class Malformed(Exception):
    """A pattern that einops refuses; the text continues the sentence "this operation ..."."""


# -- one side --------------------------------------------------------------------------------------

_TOKENS = re.compile(r"[()]|[^() ]+")


def read_side(text: str, *, underscores: bool = False, repeats: bool = False) -> Side:
    """One side of a pattern; ``_`` may be a name, and names may occur twice, where that is said.

    Raises Malformed.
    """
    groups: list[Group | EllipsisType] = []
    inside: list[Name] | None = None
    for token in _TOKENS.findall(text):
        if token == "(":
            if inside is not None:
                raise Malformed("has parentheses inside parentheses in its pattern")
            inside = []
        elif token == ")":
            if inside is None:
                raise Malformed("closes a parenthesis in its pattern that is not open")
            groups.append(tuple(inside))
            inside = None
        elif inside is not None:
            inside += _names(token, underscores)
        elif token == DOTS:
            groups.append(...)
        else:
            groups.append(_names(token, underscores))
    if inside is not None:
        raise Malformed("leaves a parenthesis in its pattern open")
    side = Side(tuple(groups))
    _refuse_repeats(side, underscores, repeats)
    return side


def _names(token: str, underscores: bool) -> Group:
    """The name that a word is; none for ``1``."""
    if token == DOTS:
        return (...,)
    if token.isdecimal():
        if int(token) == 0:
            raise Malformed("has an axis of length 0 in its pattern")
        return () if int(token) == 1 else (Anonymous(int(token)),)
    if token != "_" or not underscores:
        check_name(token)
    return (token,)


def check_name(text: str) -> None:
    """Raise Malformed if einops does not take a text for the name of an axis."""
    if not text.isidentifier() or text.startswith("_") or text.endswith("_"):
        raise Malformed(f"has {text!r} in its pattern, which is no name of an axis")


def _refuse_repeats(side: Side, underscores: bool, repeats: bool) -> None:
    names = side.names
    for name in names:
        allowed = name is not ... and (repeats or (underscores and name == "_"))
        if names.count(name) > 1 and not allowed:
            raise Malformed(f"has {name_text(name)} twice on one side of its pattern")


def name_text(name: Name) -> str:
    """A name as it is written."""
    return DOTS if isinstance(name, EllipsisType) else str(name)


def _listed(names: Iterable[Name]) -> str:
    return ", ".join(name_text(name) for name in names)


# -- both sides ------------------------------------------------------------------------------------


@functools.cache
def read(text: str, lengths: tuple[str, ...], kind: str) -> Pattern:
    """The pattern of a ``"rearrange"``, ``"repeat"`` or ``"reduce"`` that is given these lengths.

    Raises Malformed where einops refuses it whatever the tensor.
    """
    sides = text.split("->")
    if len(sides) != 2:
        raise Malformed(f"needs a pattern of two sides with -> between them, not {text!r}")
    left, right = read_side(sides[0]), read_side(sides[1])
    if ... in left.names and ... not in left.groups:
        raise Malformed("has ... inside parentheses on the left of its pattern")
    if ... in right.names and ... not in left.names:
        raise Malformed("has ... on the right side of its pattern only")
    _CHECKS[kind](left, right, lengths)
    _refuse_lengths(left, right, lengths)
    return Pattern(left, right)


def _check_rearrange(left: Side, right: Side, lengths: tuple[str, ...]) -> None:
    numbers = [name for name in left.names + right.names if isinstance(name, Anonymous)]
    if numbers:
        raise Malformed(f"has an axis of length {_listed(numbers[:1])} without a name")
    _refuse_lost(left, right)
    _refuse_new(left, right)


def _check_repeat(left: Side, right: Side, lengths: tuple[str, ...]) -> None:
    _refuse_lost(left, right)
    new = [n for n in right.names if n not in left.names and not isinstance(n, Anonymous)]
    unknown = [name for name in new if name not in lengths]
    if unknown:
        raise Malformed(f"has the new axis {_listed(unknown)} in its pattern, but not its length")


def _check_reduce(left: Side, right: Side, lengths: tuple[str, ...]) -> None:
    _refuse_new(left, right)


_CHECKS: dict[str, Callable[[Side, Side, tuple[str, ...]], None]] = {
    "rearrange": _check_rearrange,
    "repeat": _check_repeat,
    "reduce": _check_reduce,
}


def _refuse_lost(left: Side, right: Side) -> None:
    lost = [name for name in left.names if name not in right.names]
    if lost:
        raise Malformed(f"has {_listed(lost)} on the left side of its pattern only")


def _refuse_new(left: Side, right: Side) -> None:
    new = [name for name in right.names if name not in left.names]
    if new:
        raise Malformed(f"has {_listed(new)} on the right side of its pattern only")


def _refuse_lengths(left: Side, right: Side, lengths: tuple[str, ...]) -> None:
    for name in lengths:
        if name not in left.names + right.names:
            raise Malformed(f"is given a length for {name}, which its pattern does not have")
    for group in left.groups:
        if isinstance(group, EllipsisType):
            continue
        unknown = [name for name in group if isinstance(name, str) and name not in lengths]
        if len(unknown) > 1:
            raise Malformed(f"splits an axis into {_listed(unknown)}: all but one need a length")
