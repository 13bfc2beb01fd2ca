"""Traced shapes as reports show them: integers, expressions as strings, ``?`` where unknown."""

from __future__ import annotations

from attncheck.algebra.facts import Facts
from attncheck.algebra.size import Symbol
from attncheck.checks.report import Sizes
from attncheck.finding import ShapeText
from attncheck.tracer.trace import Traced
from attncheck.values.value import Parameter, Value, as_tensor, expanded


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
    return sizes_text(shape.sizes()) if shape is not None and shape.closed else None


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
            shape = shape_text(operation.output, traced.facts)
            known += shape is not None and "?" not in shape
    for site in traced.sites:
        if type(site.value) is not Parameter and as_tensor(site.value) is not None:
            values += 1
            shape = shape_text(site.value, traced.facts)
            known += shape is not None and "?" not in shape
    return values, known
