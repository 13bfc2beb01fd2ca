"""Regression asserts: the shape that a fixed line gives, in the function's own names.

A size is written as a name that the function has for it (``T_enc``), as an axis of a parameter
(``encoder_states.shape[0]``), or as an expression over these; a size that cannot be written so makes
no assert. Weights also sum to one over the axis that softmax normalises.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from attncheck.algebra.shape import Shape, expand
from attncheck.algebra.size import Size, Symbol
from attncheck.attention import find_sites
from attncheck.source import Source
from attncheck.tracer.machine import ShapeSite
from attncheck.tracer.trace import Traced
from attncheck.values.tensor import Tensor
from attncheck.values.value import Int, as_tensor


@dataclass(slots=True)
class Names:
    """How a function writes sizes: names that hold them, and axes of its parameters."""

    by_size: dict[Size, str] = field(default_factory=dict)

    def write(self, size: Size) -> str | None:
        """An expression for `size`, or None."""
        known = self.by_size.get(size)
        if known is not None:
            return known
        if size.number is not None:
            return str(size.number)
        texts: dict[Symbol, str] = {}
        for symbol in size.symbols():
            text = next((t for s, t in self.by_size.items() if s.symbol is symbol), None)
            if text is None:
                return None
            texts[symbol] = text
        return _spelled(size, texts)


def _spelled(size: Size, texts: dict[Symbol, str]) -> str:
    """A size with its symbols' own texts."""
    stand_ins = {symbol: f"\0{index}\0" for index, symbol in enumerate(texts)}
    text = str(size.replace(lambda symbol: None))
    for symbol in sorted(texts, key=lambda symbol: -len(symbol.name)):
        text = text.replace(symbol.name, stand_ins[symbol])
    for symbol, stand_in in stand_ins.items():
        text = text.replace(stand_in, texts[symbol])
    return text.replace("*", " * ").replace(" *  * ", "**")


def names_before(traced: Traced, source: Source, line: int) -> Names:
    """The names for sizes that a function has once the statement in `line` is done."""
    names = Names()
    sites = [site for site in traced.sites if site.name.isidentifier() and site.name != "return"]
    for site in sites:
        if type(site.value) is Int and site.value.size is not None:
            if source.span(site.node).line <= line:
                size = traced.facts.resolve(site.value.size)
                if size.number is None:
                    names.by_size.setdefault(size, site.name)
    parameters = _parameter_names(traced)
    for site in sites:
        if site.node in parameters:
            _add_axes(names, site.name, _shape(as_tensor(site.value), traced))
    return names


def _parameter_names(traced: Traced) -> set[cst.CSTNode]:
    if traced.function is None:
        return set()
    parameters = traced.function.node.params
    listed = (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
    return {parameter.name for parameter in listed}


def _add_axes(names: Names, name: str, shape: Shape | None) -> None:
    if shape is None or not shape.closed:
        return
    for index, axis in enumerate(shape.axes):
        if axis.size is not None and axis.size.number is None:
            names.by_size.setdefault(axis.size, f"{name}.shape[{index}]")


def _shape(tensor: Tensor | None, traced: Traced) -> Shape | None:
    if tensor is None or tensor.shape is None:
        return None
    return expand(tensor.shape, traced.facts)


def asserts(traced: Traced, source: Source, line: int) -> tuple[str, ...]:
    """The asserts that hold after the statement in `line` of a file that is right.
    """
    names = names_before(traced, source, line)
    made = []
    for site in traced.sites:
        if source.span(site.node).line != line or site.name == "return":
            continue
        text = _shape_assert(site.name, _shape(as_tensor(site.value), traced), names)
        if text is not None and isinstance(site.node, cst.Name | cst.Attribute):
            made.append(text)
            made += _sum_assert(site, traced)
    return tuple(made)


def _shape_assert(code: str, shape: Shape | None, names: Names) -> str | None:
    if shape is None or not shape.closed:
        return None
    sizes = []
    for axis in shape.axes:
        text = None if axis.size is None else names.write(axis.size)
        if text is None:
            return None
        sizes.append(text)
    inside = f"{sizes[0]}," if len(sizes) == 1 else ", ".join(sizes)
    return f"assert {code}.shape == ({inside})"


def _sum_assert(site: ShapeSite, traced: Traced) -> list[str]:
    """The assert that weights sum to one, for a name that holds a site's weights."""
    tensor = as_tensor(site.value)
    if tensor is None or tensor.operation is None:
        return []
    for attention in find_sites(traced.graph):
        if attention.softmax.number != tensor.operation or attention.over_all:
            continue
        shape = _shape(tensor, traced)
        if shape is None or not shape.closed or not shape.axes:
            return []
        axis = _written_axis(attention.axis, len(shape.axes))
        if tensor.library == "torch":
            return [
                f"assert torch.allclose({site.name}.sum(dim={axis}), torch.ones(()))"
            ]
        return [f"assert np.allclose({site.name}.sum(axis={axis}), 1)"]
    return []


def _written_axis(axis: int | None, rank: int) -> int:
    """The axis as it is usually written: the last one as -1."""
    return -1 if axis is None or axis % rank == rank - 1 else axis % rank


