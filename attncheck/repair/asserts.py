"""Regression asserts: the shape that a fixed line gives, in the function's own names.

A size is written as a name that the function has for it (``T_enc``), as an axis of a parameter
(``encoder_states.shape[0]``), or as an expression over these; a size that cannot be written so
makes no assert. Weights also sum to one over the axis that softmax normalises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from attncheck.algebra.shape import Axis, Shape
from attncheck.algebra.size import Size, Symbol
from attncheck.attention import find_sites
from attncheck.checks.constructed import layer_of
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.operators.events import Contraction
from attncheck.repair.wording import array_module
from attncheck.source import Source
from attncheck.tracer.machine import ShapeSite
from attncheck.tracer.trace import Traced
from attncheck.values.tensor import Tensor
from attncheck.values.value import Instance, Sequence, as_size, as_tensor, expanded

#: The longest expression for one size that a person would want to read.
_LONGEST = 40


@dataclass(slots=True)
class Names:
    """How a function writes sizes: names that hold them, and axes of its parameters."""

    by_size: dict[Size, str] = field(default_factory=dict)
    #: axes by where they were born, for sizes that are only known as numbers
    by_birth: dict[tuple[str, int], str] = field(default_factory=dict)
    #: whether the sizes are those of one call, whose numbers no expression may rest on
    of_call: bool = False

    def write_axis(self, axis: Axis) -> str | None:
        """An expression for the size of `axis`, or None.

        A number other than 1 is the size in one call only: it is written as the axis it came from.
        """
        if axis.size is None:
            return None
        number = axis.size.number
        if number is None or number == 1:
            return self.write(axis.size)
        return None if axis.tag is None else self.by_birth.get((axis.tag.root, axis.tag.index))

    def write(self, size: Size) -> str | None:
        """An expression for `size`, or None."""
        known = self.by_size.get(size)
        if known is not None:
            return known
        if size.number is not None:
            return str(size.number)
        if self.of_call and any(abs(number) != 1 for number in size.terms.values()):
            return None
        texts: dict[Symbol, str] = {}
        for symbol in size.symbols():
            text = next((t for s, t in self.by_size.items() if s.symbol is symbol), None)
            if text is None:
                return None
            texts[symbol] = text
        written = _spelled(size, texts)
        return written if len(written) <= _LONGEST else None


def _spelled(size: Size, texts: dict[Symbol, str]) -> str:
    """A size with its symbols' own texts."""
    stand_ins = {symbol: f"\0{index}\0" for index, symbol in enumerate(texts)}
    text = str(size.replace(lambda symbol: None))
    for symbol in sorted(texts, key=lambda symbol: -len(symbol.name)):
        text = text.replace(symbol.name, stand_ins[symbol])
    for symbol, stand_in in stand_ins.items():
        text = text.replace(stand_in, texts[symbol])
    return text.replace("*", " * ").replace(" *  * ", "**")


def names_before(
    sites: list[ShapeSite], traced: Traced, source: Source, line: int, but: str = ""
) -> Names:
    """The names for sizes that a function has once the statement in `line` is done.

    An assert about the variable `but` has to write its sizes by other ones.
    """
    names = Names(of_call=traced.function is None)
    named = [site for site in sites if _is_name(site.name) and site.name != but]
    for site in named:
        held = as_size(site.value)
        size = None if held is None else traced.facts.resolve(held)
        if size is not None and size.number is None and source.span(site.node).line <= line:
            names.by_size.setdefault(size, site.name)
    instances = [(site.name, site.value) for site in named if isinstance(site.value, Instance)]
    for owner, instance in instances:
        _add_attributes(names, owner, instance)
    for site in named:
        if source.span(site.node).line < line:
            _add_axes(names, site.name, expanded(site.value, traced.facts))
    for owner, instance in instances:
        for name, value in instance.attributes.items():
            if f"{owner}.{name}" != but:
                _add_axes(names, f"{owner}.{name}", expanded(value, traced.facts))
    return names


def _is_name(name: str) -> bool:
    """Whether a site is a variable that somebody means to use: not ``_``."""
    return name.isidentifier() and name != "return" and bool(name.strip("_"))


def _add_attributes(names: Names, owner: str, instance: Instance) -> None:
    """The sizes that an object holds: ``self.d_k``."""
    for name, value in instance.attributes.items():
        size = as_size(value)
        if size is not None and size.number is None:
            names.by_size.setdefault(size, f"{owner}.{name}")


def _add_axes(names: Names, name: str, shape: Shape | None) -> None:
    """The axes of a tensor, of one of unknown rank those that are known from either end."""
    if shape is None:
        return
    trail = () if shape.closed else shape.trail
    lead = shape.axes if shape.closed else shape.lead
    for index, axis in (*enumerate(lead), *enumerate(trail, -len(trail))):
        if axis.size is not None and axis.size.number is None:
            names.by_size.setdefault(axis.size, f"{name}.shape[{index}]")
        if axis.tag is not None:
            birth = (axis.tag.root, axis.tag.index)
            names.by_birth.setdefault(birth, f"{name}.shape[{index}]")


def asserts(sites: list[ShapeSite], traced: Traced, source: Source, line: int) -> tuple[str, ...]:
    """The asserts that hold after the statement in `line` of a file that is right.

    `sites` are those of the function that the line is in. Where the statement returns an
    expression, the assert is about that expression.
    """
    made: list[str] = []
    for site, code in _told(sites, source, line):
        written = _written(site, code, sites, traced, source, line)
        if written is not None and None not in written:
            made.append(f"assert {code}.shape == {_tuple(written)}")
        if site.name != "return":
            made += _sum_assert(site, traced)
    return tuple(dict.fromkeys(made))


def asserts_in_part(
    sites: list[ShapeSite], traced: Traced, source: Source, line: int
) -> tuple[str, ...]:
    """The same of shapes that cannot be written whole, as far as they can from either end."""
    texts = [
        shape_assert(code, written)
        for site, code in _told(sites, source, line)
        if (written := _written(site, code, sites, traced, source, line)) is not None
    ]
    return tuple(dict.fromkeys(filter(None, texts)))


def _told(sites: list[ShapeSite], source: Source, line: int) -> Iterator[tuple[ShapeSite, str]]:
    """The sites of a line that asserts can be about, and how each is written."""
    for site in sites:
        span = source.span(site.node)
        if not span.line <= line <= span.end_line:
            continue
        if site.name == "return":
            code = " ".join(source.code(site.node).split())
            yield site, code if code.isidentifier() else f"({code})"
        elif site.name.strip("_") and isinstance(site.node, cst.Name | cst.Attribute):
            yield site, site.name  # what is called ``_`` nobody means to use


def _written(
    site: ShapeSite, code: str, sites: list[ShapeSite], traced: Traced, source: Source, line: int
) -> list[str | None] | None:
    """The sizes of a site's tensor as the function writes them, None each that it cannot."""
    shape = expanded(site.value, traced.facts)
    if shape is None or not shape.closed:
        return None
    names = names_before(sites, traced, source, line, but=code)
    return [names.write_axis(axis) for axis in shape.axes]


def weights_elsewhere(traces: list[Traced], source: Source, line: int) -> tuple[str, ...]:
    """The asserts that weights sum to one, for names that callers give to what `line` returns."""
    made: list[str] = []
    for traced in traces:
        own = {
            operation.number
            for operation in traced.graph.operations
            if source.span(operation.node).line == line
        }
        inner = (site for sites in traced.inner.values() for site in sites)
        for site in (*traced.sites, *inner):
            tensor = as_tensor(site.value)
            if tensor is not None and tensor.operation in own and _is_name(site.name):
                made += _sum_assert(site, traced)
    return tuple(dict.fromkeys(made))


def projection_assert(report: Report, view: View, projected: str) -> tuple[str, ...]:
    """The assert that a projected operand and the other one have the size that is contracted."""
    event = report.operation.event
    tensors = list(report.operation.tensors())
    if report.culprit is None or not isinstance(event, Contraction) or len(tensors) != 2:
        return ()
    index = 0 if tensors[0][0].node is report.culprit.node else 1
    own, other = (event.left_axes, event.right_axes)[:: 1 if index == 0 else -1]
    name = view.code(tensors[1 - index][0].node)
    name = name if name.isidentifier() else f"({name})"
    return (f"assert {projected}.shape[{own[0]}] == {name}.shape[{other[0]}]",)


def features_assert(report: Report, view: View) -> tuple[str, ...]:
    """The assert, for before the call, that a layer gets the size that it was made for."""
    if report.resized is None:
        return ()
    made, _ = report.resized
    met = report.operation
    layer, clash = layer_of(made.operation), met.clash
    if layer is None or made.operation is not met or made.target is None or clash is None:
        return ()
    operand, tensor = list(met.tensors())[clash.operand]
    spelled = {parameter.neutral: parameter.spelled for parameter in layer.making.parameters}
    own = f"{operand.name[:1]}dim"  # what keys and values may have a size of their own by
    attribute = own if clash.operand > 0 and own in spelled else spelled[made.name]
    name = view.code(operand.node)
    name = name if name.isidentifier() else f"({name})"
    size = f"{view.code(made.target)}.{attribute}"
    if type(next(each.value for each in met.operands if each.name == made.name)) is Sequence:
        return (f"assert {name}.shape[-1:] == {size}",)
    return (f"assert {name}.shape[{axis_of(view, tensor, clash.left)}] == {size}",)


def axis_of(view: View, tensor: Tensor, size: Size | None) -> int:
    """The axis of a tensor that has a size: the last one as -1, if it has."""
    sizes = view.sizes(tensor) or ()
    places = [place for place, other in enumerate(sizes) if other == size]
    return -1 if not places or places[-1] == len(sizes) - 1 else places[-1]


def shape_assert(code: str, sizes: list[str | None]) -> str | None:
    """The assert of a shape, of which what cannot be written (None) is left out at either end."""
    if None not in sizes:
        return f"assert {code}.shape == {_tuple(sizes)}"
    first = next((place for place, size in enumerate(sizes) if size is None), 0)
    last = next(place for place, size in enumerate(reversed(sizes)) if size is None)
    lead, trail = sizes[:first], sizes[len(sizes) - last :]
    if _tells(lead) >= max(_tells(trail), 1):
        return f"assert {code}.shape[:{first}] == {_tuple(lead)}"
    if _tells(trail):
        return f"assert {code}.shape[-{last}:] == {_tuple(trail)}"
    return None


def _tells(sizes: list[str | None]) -> int:
    """How many of written sizes are more than a 1."""
    return sum(size != "1" for size in sizes)


def _tuple(sizes: list[str | None]) -> str:
    return f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(map(str, sizes))})"


def _sum_assert(site: ShapeSite, traced: Traced) -> list[str]:
    """The assert that weights sum to one, for a name that holds a site's weights."""
    tensor = as_tensor(site.value)
    if tensor is None or tensor.operation is None:
        return []
    for attention in find_sites(traced.graph):
        if attention.softmax.number != tensor.operation or attention.over_all:
            continue
        shape = expanded(tensor, traced.facts)
        whole = expanded(attention.softmax.output, traced.facts)
        if shape is None or whole is None or not shape.closed or not shape.axes:
            return []
        if whole.closed and shape.rank != whole.rank:  # one row of the weights, as a loop gives it
            return []
        axis = _written_axis(attention.axis, len(shape.axes))
        if tensor.library == "torch":
            return [f"assert torch.allclose({site.name}.sum(dim={axis}), torch.ones(()))"]
        if tensor.library == "tensorflow":
            return [_sum_in_functions(site.name, axis, attention.softmax.spelling)]
        module = array_module(tensor.library)
        return [f"assert {module}.allclose({site.name}.sum(axis={axis}), 1)"]
    return []


def _sum_in_functions(name: str, axis: int, spelling: str) -> str:
    """The same in the functions of TensorFlow, or of the module that the softmax is of."""
    if spelling.startswith("tensorflow."):
        return f"assert tf.reduce_all(tf.abs(tf.reduce_sum({name}, axis={axis}) - 1) < 1e-5)"
    module = "K" if spelling.startswith("keras.backend.") else "ops"
    return f"assert {module}.all({module}.abs({module}.sum({name}, axis={axis}) - 1) < 1e-5)"


def _written_axis(axis: int | None, rank: int) -> int:
    """The axis as it is usually written: the last one as -1."""
    return -1 if axis is None or axis % rank == rank - 1 else axis % rank
