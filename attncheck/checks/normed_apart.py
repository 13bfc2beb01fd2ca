"""Queries and keys of cosine attention that are normalised over another axis than they meet over.

The product of two vectors is the cosine of the angle between them if each is divided by its own
length (Liu et al. 2021, "Swin Transformer V2", section 3.3; Henry et al. 2020, "Query-Key
Normalization", section 3.1). The axis of the lengths is the one that the product sums over. torch's
``F.normalize`` takes axis 1 if it is not told: of (B, H, T, d) the heads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from attncheck.algebra.shape import Axis
from attncheck.attention import contracted_axes, same_axis
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import COPYING, MOVES, Attention, Elementwise, Reduction
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.softmaxes import MOST_STEPS
from attncheck.values.tensor import Tensor

#: One side of a product, and the axes of it that are summed.
_Side: TypeAlias = tuple[Tensor, tuple[Axis, ...]]
#: What keeps a norm from being 0.
_BOUNDING = frozenset({"clip", "clamp", "maximum", "+"})


@record
class Norm:
    """Vectors divided by their norm: the operation, the one that names the axis, and the axis."""

    operation: Operation
    #: what is told the axis: a normalisation itself, or the norm that is divided by
    told: Operation
    vectors: Tensor
    axis: int


@record
class NormedApart:
    """Vectors normalised over axis ``axis``, which a product compares over axis ``wanted``."""

    norm: Norm
    product: Operation
    #: the axis of the norm and that of the product
    axes: tuple[Axis, Axis]
    wanted: int


def normed_apart(rule: Rule, view: View) -> Iterator[Report]:
    """The reports of norms over another axis than that of the product, one for a statement."""
    for operation in view.graph.operations:
        found = view.remembered(norms_apart, operation)
        if not found:
            continue
        norm, wanted = found[0].norm, found[0].wanted
        one, other = found[0].axes
        product = view.quote(found[0].product.node)
        yield Report(
            rule,
            operation,
            operation.node,
            f"`{view.quote(operation.node)}` divides by norms over axis {norm.axis}"
            f" ({one}), but `{product}` compares over axis {wanted} ({other}): the vectors that are"
            " compared keep lengths of their own, and the scores are no cosines; nothing raises",
            Culprit(operation.node, norm.vectors),
            view.sizes(norm.vectors),
            f"the same shape, each vector along axis {wanted} of length 1: the axis of the norm is"
            " the one that the product sums over",
            axis=wanted,
        )


def norms_apart(operation: Operation, view: View) -> tuple[NormedApart, ...] | None:
    """The wrong norms of the statement that an operation is the first wrong norm of."""
    if not isinstance(operation.event, Elementwise):
        return None
    found = view.once(_all_apart)
    own = tuple(each for each in found if each.norm.operation.statement is operation.statement)
    return own if own and own[0].norm.operation is operation else None


def _all_apart(view: View) -> list[NormedApart]:
    """Each normalisation that is wrong, once for the expression that it is written as."""
    found = dict[object, NormedApart]()
    for product, sides in _compared(view):
        norms = [_norms_behind(tensor, view) for tensor, _ in sides]
        if len(norms) != 2 or not all(norms) or product.clash or product.elsewhere:
            continue
        for (tensor, summed), own in zip(sides, norms, strict=True):
            apart = _apart(product, tensor, summed, own, view)
            if apart is not None and not apart.norm.operation.elsewhere:
                found.setdefault(apart.norm.operation.node, apart)
    return sorted(found.values(), key=lambda each: each.norm.operation.number)


def _compared(view: View) -> Iterator[tuple[Operation, list[_Side]]]:
    """The products of queries and keys, each side with the axes that are summed."""
    for site in view.sites:
        if site.scores is not None:
            tensors = [tensor for _, tensor in site.scores.tensors()]
            summed = [contracted_axes(site.scores, index) for index in range(len(tensors))]
            yield site.scores, list(zip(tensors, summed, strict=True))
    for operation in view.graph.operations:
        if isinstance(operation.event, Attention):
            given = {operand.name: tensor for operand, tensor in operation.tensors()}
            both = [given[name] for name in ("query", "key") if name in given]
            yield operation, [(each, _features(each, view)) for each in both]


def _features(tensor: Tensor, view: View) -> tuple[Axis, ...]:
    """The last axis of the queries or keys of a library's attention, which compares over it."""
    shape = view.shape(tensor)
    return () if shape is None else shape.tail[-1:]


def _apart(
    product: Operation, tensor: Tensor, summed: tuple[Axis, ...], norms: list[Norm], view: View
) -> NormedApart | None:
    """How an operand of a product that is normalised misses the axis that is summed."""
    shape, norm = view.shape(tensor), norms[0]
    vectors = view.shape(norm.vectors)
    if len(summed) != 1 or shape is None or vectors is None:
        return None
    if not shape.closed or not vectors.closed:
        return None
    wanted = _place(vectors.axes, summed[0])
    normalised = vectors.axes[norm.axis]
    if wanted is None or wanted == norm.axis or _place(shape.axes, normalised) is None:
        return None
    if any(_is_over(each, summed[0], view) for each in norms):
        return None  # of length 1 before, and normalised once more
    return NormedApart(norm, product, (normalised, vectors.axes[wanted]), wanted)


def _is_over(norm: Norm, axis: Axis, view: View) -> bool:
    shape = view.shape(norm.vectors)
    return shape is None or not shape.closed or same_axis(shape.axes[norm.axis], axis) is not False


def _place(axes: tuple[Axis, ...], axis: Axis) -> int | None:
    """Where an axis is among others, by its birth."""
    found = [place for place, each in enumerate(axes) if same_axis(each, axis)]
    return found[0] if len(found) == 1 else None


def _norms_behind(tensor: Tensor, view: View) -> list[Norm]:
    """The normalisations that an operand has gone through, last first, moved or scaled since."""
    found, waiting = list[Norm](), [tensor]
    for _ in range(MOST_STEPS):
        if not waiting:
            break
        made = view.graph.maker(waiting.pop(0))
        if made is None:
            continue
        norm = _norm(made, view)
        if norm is not None:
            found.append(norm)
            waiting.append(norm.vectors)
        elif isinstance(made.event, MOVES) or made.kind in COPYING:
            waiting += [] if made.source is None else [made.source]
        elif isinstance(made.event, Elementwise) and made.event.symbol in "*/":
            waiting += [each for _, each in made.tensors()]
    return found


def _norm(made: Operation, view: View) -> Norm | None:
    """The normalisation that an operation is, of vectors along one known axis."""
    event, vectors = made.event, made.source
    if not isinstance(event, Elementwise) or vectors is None:
        return None
    if event.symbol == "normalize" and event.along is not None:
        return _counted(made, made, vectors, event.along, view)
    tensors = [tensor for _, tensor in made.tensors()]
    if event.symbol != "/" or len(tensors) != 2:
        return None
    total = norm_in(tensors[1], view)
    if total is None or not isinstance(total.event, Reduction) or len(total.event.axes or ()) != 1:
        return None
    (axis,) = total.event.axes or (0,)
    return _counted(made, total, vectors, axis, view) if total.source is vectors else None


def _counted(
    made: Operation, told: Operation, vectors: Tensor, axis: int, view: View
) -> Norm | None:
    """A norm whose axis is counted from the front; None where that cannot be."""
    shape = view.shape(vectors)
    if shape is None or not shape.closed or not -len(shape.axes) <= axis < len(shape.axes):
        return None
    return Norm(made, told, vectors, axis % len(shape.axes))


def norm_in(tensor: Tensor, view: View) -> Operation | None:
    """The norm that a divisor is, kept from being 0 or its axis put back."""
    for _ in range(MOST_STEPS):
        made = view.graph.maker(tensor)
        event = None if made is None else made.event
        if made is None or (isinstance(event, Reduction) and event.kind == "norm"):
            return made
        bounds = isinstance(event, Elementwise) and event.symbol in _BOUNDING
        if made.source is None or not (bounds or isinstance(event, MOVES)):
            return None
        tensor = made.source
    return None
