"""Traced shapes as reports show them: integers, expressions as strings, ``?`` where unknown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from attncheck.algebra.facts import Facts
from attncheck.algebra.shape import Axis, Shape, closed, expand
from attncheck.algebra.size import Symbol
from attncheck.checks.report import Sizes
from attncheck.finding import ShapeText
from attncheck.tracer.trace import Traced
from attncheck.values.tensor import Tensor
from attncheck.values.value import (
    Choice,
    Int,
    Parameter,
    Sequence,
    ShapeOf,
    Unknown,
    Value,
    as_size,
    as_tensor,
    expanded,
)


def sizes_text(sizes: Sizes | None) -> ShapeText | None:
    """Sizes as the JSON has them."""
    if sizes is None:
        return None
    return tuple(
        "?" if size is None else number if (number := size.number) is not None else str(size)
        for size in sizes
    )


def shape_text(value: Value, facts: Facts) -> ShapeText | None:
    """The shape of a tensor value, or None if it is none or not all its axes are known."""
    shape = expanded(value, facts)
    if shape is None or not shape.closed or _is_number(value, shape):
        return None
    return sizes_text(shape.sizes())


def _is_number(value: Value, shape: Shape) -> bool:
    """Whether an argument has been used as a number somewhere."""
    return type(value) is Parameter and shape.rank == 0


def otherwise(value: Value, facts: Facts, name: str) -> str | None:
    """What a person is told of a value that is no tensor of a closed shape.

    Of a tensor the axes that are known, of a list the shapes of its items, of an integer the size
    that it is, unless the `name` says so already; None for what certainly is nothing of the kind.
    """
    describe = _OTHERWISE.get(type(value))
    text = None if describe is None else describe(value, facts)
    return None if text == f"= {name}" else text


def _open(value: Value, facts: Facts) -> str:
    shape = expanded(value, facts)
    return "?" if shape is None or not shape.at_least else str(shape)


def _argument(value: Parameter, facts: Facts) -> str | None:
    shape = expanded(value, facts)
    if shape is not None and _is_number(value, shape):
        return _size(value.number, facts)
    return _open(value, facts)


def _size(value: Int, facts: Facts) -> str | None:
    return None if value.size is None else f"= {facts.resolve(value.size)}"


def _sizes(value: ShapeOf, facts: Facts) -> str | None:
    shape = expand(value.shape, facts)
    return f"= {shape}" if shape.at_least else None


def _items(value: Sequence, facts: Facts) -> str | None:
    items = (value.element,) if value.items is None else value.items
    if value.items and all(type(item) is Int for item in items):
        return f"= {closed(Axis(as_size(item)) for item in items)}"
    if not items or not all(as_tensor(item) is not None for item in items):
        return None
    texts = [_open(item, facts) for item in items]
    if len(set(texts)) > 1:
        return f"[{', '.join(texts)}]"
    count = len(items) if value.items is not None else value.length
    return f"{'?' if count is None else count} x {texts[0]}"


def _options(value: Choice, facts: Facts) -> str | None:
    texts = {otherwise(option, facts, "") for option in value.options}
    return texts.pop() if len(texts) == 1 else "?"


_OTHERWISE: dict[type, Callable[[Any, Facts], str | None]] = {
    Tensor: _open,
    Parameter: _argument,
    Unknown: lambda value, facts: "?",
    Int: _size,
    ShapeOf: _sizes,
    Sequence: _items,
    Choice: _options,
}


def use_table_names(traced: Traced) -> None:
    """Give sizes their names in the table, wherever one size only of a trace stands for a name.

    Numbers that the code has given one name after the other are shown as numbers.
    """
    kin: dict[str, set[Symbol]] = {}
    valued: dict[str, set[Symbol]] = {}
    for site in traced.sites:
        shape = expanded(site.value, traced.facts)
        if shape is None:
            continue
        for axis in (*shape.lead, *shape.trail):
            for symbol in axis.size.symbols() if axis.size is not None else ():
                if symbol.kin is not None:
                    kin.setdefault(symbol.kin, set()).add(symbol)
                if symbol.value is not None:
                    valued.setdefault(symbol.name, set()).add(symbol)
    for symbols in valued.values():
        if len({symbol.value for symbol in symbols}) > 1:
            for symbol in symbols:
                symbol.name = str(symbol.value)
    for name, symbols in kin.items():
        if len(symbols) == 1:
            symbols.pop().name = name
    _tell_apart(traced)


def _tell_apart(traced: Traced) -> None:
    """Give different sizes of one name different names: ``x_0``, ``x_0_2``.

    Names of the table are equal wherever they are written.
    """
    named: dict[str, Symbol] = {}
    for site in traced.sites:
        shape = expanded(site.value, traced.facts)
        if shape is None:
            continue
        for axis in (*shape.lead, *shape.trail):
            for symbol in axis.size.symbols() if axis.size is not None else ():
                if symbol.table:
                    continue
                base, count = symbol.name, 1
                while named.setdefault(symbol.name, symbol) is not symbol:
                    count += 1
                    symbol.name = f"{base}_{count}"


def count_known(traced: Traced) -> tuple[int, int]:
    """How many tensor values a trace has, and how many of them have a shape without a ``?``."""
    values = known = 0
    for operation in traced.graph.operations:
        if as_tensor(operation.output) is not None:
            values += 1
            known += _is_known(operation.output, traced.facts)
    for site in traced.sites:
        if type(site.value) is not Parameter and as_tensor(site.value) is not None:
            values += 1
            known += _is_known(site.value, traced.facts)
    return values, known


def _is_known(value: Value, facts: Facts) -> bool:
    """Whether every axis of a tensor is known."""
    shape = expanded(value, facts)
    return shape is not None and shape.closed and all(axis.size is not None for axis in shape.lead)
