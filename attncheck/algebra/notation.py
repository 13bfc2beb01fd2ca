"""Reading sizes and shapes that people wrote down: ``2*d_h``, ``(B, T, D)``, ``*batch t d``.

What is no size or no shape gives None, whatever the text is: these are comments, docstrings and
annotations, and most of them speak of something else.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Final, TypeAlias

from attncheck.algebra.shape import Axis, Row, Shape
from attncheck.algebra.size import Size, Symbol, const, of

#: Makes or finds the symbol of a name.
Naming: TypeAlias = Callable[[str], Symbol]

#: Nobody writes longer ones, and a parser must not be made to.
_MAX_TEXT: Final = 200
_MAX_EXPONENT: Final = 16

_CLOSING: Final = {"(": ")", "[": "]"}
#: The second is the operator sign that PyTorch's documentation uses.
_STARS: Final = frozenset(("*", "\u2217"))
_ROWS: Final = _STARS | {"...", "…"}
_UNKNOWN: Final = frozenset(("?", "_", "None", "-1"))
#: ``B x T x D``; the sign × needs no spaces.
CROSS: Final = re.compile(r"\s+[xX]\s+|\s*×\s*")
#: ``2d_hidden``, which is no Python; ``0x10`` and ``1e5`` are, and are no sizes people write.
_COEFFICIENT: Final = re.compile(r"(?<![\w.])(?!0[xob]|\d+e\d)(\d+)(?=[a-z_])", re.IGNORECASE)
#: ``batch=4``: the number counts.
_NAMED_SIZE: Final = re.compile(r"[A-Za-z_]\w*=(.+)", re.DOTALL)
#: ``*batch`` and ``*#batch`` are any number of axes.
_NAMED_ROW: Final = re.compile(r"\*#?[A-Za-z_]\w*")
#: ``#n`` may be broadcast, ``?n`` may differ from place to place, ``_n`` is not checked.
_UNCHECKED: Final = re.compile(r"[#?_][A-Za-z_0-9]\w*")


def parse_size(text: str, symbol: Naming) -> Size | None:
    """The size that an expression over names, integers and ``+ - * / // % **`` stands for.

    A dotted name (``config.hidden_size``) is one name. None if `text` is no such expression.
    """
    if len(text) > _MAX_TEXT:
        return None
    source = _COEFFICIENT.sub(r"\1*", text.strip().replace("·", "*").replace("×", "*"))
    try:
        tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return None
    return _size(tree.body, symbol)


def parse_shape(text: str, symbol: Naming) -> Shape | None:
    """The shape that a notation stands for; None if `text` is none.

    Axes are separated by commas (with or without brackets), by `` x `` or ``×``, or by blanks.
    ``...``, ``*`` and ``*name`` are any number of axes, which a shape can have once; several bare
    ``*`` are one unknown axis each, like ``_``, ``?``, ``None``, ``-1``, ``#n``, ``?n`` and ``_n``.
    ``n=4`` is 4. Nothing at all is the shape of a scalar.
    """
    if len(text) > _MAX_TEXT:
        return None
    items = _items(text.strip())
    if items is None:
        return None
    stars = sum(item in _STARS for item in items)
    axes = [_axis(item, symbol, single=stars > 1) for item in items]
    rows = [axis for axis in axes if isinstance(axis, Row)]
    if len(rows) > 1 or None in axes:
        return None
    at = axes.index(rows[0]) if rows else len(axes)
    lead, trail = axes[:at], axes[at + 1 :]
    return Shape(
        tuple(axis for axis in lead if isinstance(axis, Axis)),
        rows[0] if rows else None,
        tuple(axis for axis in trail if isinstance(axis, Axis)),
    )


# -- sizes --------------------------------------------------------------------------------------


def _size(node: ast.expr, symbol: Naming) -> Size | None:
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(value)):
            return const(value)
        case ast.Name() | ast.Attribute():
            name = _dotted(node)
            return None if name is None else of(symbol(name))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            size = _size(operand, symbol)
            return None if size is None else -size
        case ast.BinOp(left=left, op=operation, right=right):
            a, b = _size(left, symbol), _size(right, symbol)
            return None if a is None or b is None else _combined(a, operation, b)
    return None


def _combined(a: Size, operation: ast.operator, b: Size) -> Size | None:
    match operation:
        case ast.Add():
            return a + b
        case ast.Sub():
            return a - b
        case ast.Mult():
            return a * b
        case ast.Div() | ast.FloorDiv():
            # A size that is written as a fraction is a whole number.
            return a // b if b.terms else None
        case ast.Mod():
            return a % b if b.terms else None
        case ast.Pow():
            exponent = b.number
            if exponent is None or not 0 <= exponent <= _MAX_EXPONENT:
                return None
            return a**exponent
    return None


def _dotted(node: ast.expr) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if not isinstance(node, ast.Attribute):
        return None
    owner = _dotted(node.value)
    return None if owner is None else f"{owner}.{node.attr}"


# -- shapes -------------------------------------------------------------------------------------


def _items(text: str) -> list[str] | None:
    """The axes of a shape as they are written, or None if that cannot be told."""
    inner = text
    if text[:1] in _CLOSING and text[-1:] == _CLOSING[text[0]] and _closes_last(text):
        inner = text[1:-1].strip()
    items = _at_commas(inner) or _at_crosses(inner)
    if items is not None:
        return items
    items = inner.split()
    # Between blanks a star may mean any axis as well as a product.
    return None if len(items) > 1 and _STARS & set(items) else items


def _closes_last(text: str) -> bool:
    """Whether the bracket that opens `text` is the one that ends it."""
    depth = 0
    for index, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if depth == 0:
            return index == len(text) - 1
    return False


def _at_commas(text: str) -> list[str] | None:
    items, depth, start = [], 0, 0
    for index, letter in enumerate(text):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            items.append(text[start:index].strip())
            start = index + 1
    if not items:
        return None
    last = text[start:].strip()
    # The comma of (T,) separates nothing.
    return [*items, last] if last else items


def _at_crosses(text: str) -> list[str] | None:
    items = CROSS.split(text)
    return items if len(items) > 1 else None


def _axis(text: str, symbol: Naming, *, single: bool) -> Axis | Row | None:
    """One axis, or the row, that an item is; None if it is neither.

    `single`: a bare ``*`` is one axis.
    """
    if text in _UNKNOWN or (single and text in _STARS):
        return Axis(None)
    if text in _ROWS:
        return Row("axis", born=False)
    if _NAMED_ROW.fullmatch(text):
        return Row(text.lstrip("*#"), born=False)
    if _UNCHECKED.fullmatch(text):
        return Axis(None)
    named = _NAMED_SIZE.fullmatch(text)
    size = parse_size(text if named is None else named[1], symbol)
    if size is None or (size.number is not None and size.number < 0):
        return None
    return Axis(size)
