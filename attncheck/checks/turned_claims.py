"""Comments that list the axes of a tensor in another order than it has them.

Names that only comments have are free: ``B`` may be any axis. But the comments of one function
name the same axes, and say together which is which: where ``(B, T, d)`` stands beside a tensor
whose axes all the other lines call T, B and d, an axis was moved, or the comment was left behind.
Where one name is used for several sizes it still tells which axis is which from one line to the
next, if all that is between them moves axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Shape
from attncheck.algebra.size import Size, Symbol
from attncheck.checks.report import Culprit, Report, sizes_of, text_of
from attncheck.checks.view import View
from attncheck.evidence.comments import ClaimText
from attncheck.graph import Operation
from attncheck.operators.events import Permutation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tracer.machine import ShapeSite
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import as_tensor


@record
class _Claimed:
    """A tensor with the claim beside it, axis by axis: what is said, and what was traced."""

    site: ShapeSite
    tensor: Tensor
    made: Operation
    claim: ClaimText
    said: tuple[Size, ...]
    traced: tuple[Size, ...]

    @property
    def is_sure(self) -> bool:
        """Whether the traced shape rests neither on names nor on other claims."""
        return bool(self.traced) and self.tensor.evidence < Evidence.PROSE


def turned_claim(rule: Rule, view: View) -> Iterator[Report]:
    """The report of the first claim of a function whose axes are there in another order."""
    listed = list(_claims(view))
    broken = min((each.number for each in view.graph.clashes()), default=None)
    for claimed in listed:
        if broken is not None and claimed.made.number >= broken:
            return
        order = _as_others_say(claimed, listed, view.facts) or _as_moved(claimed, listed, view)
        if order is not None:
            yield _report(rule, view, claimed, order)
            return


def _claims(view: View) -> Iterator[_Claimed]:
    """What lines assign that say its shape, where it has as many axes."""
    lines = [view.line(site.node) for site in view.traced.sites]
    for site, line in zip(view.traced.sites, lines, strict=True):
        claim, tensor = view.evidence.comments.get(line), as_tensor(site.value)
        made = None if tensor is None else view.graph.maker(tensor)
        if claim is None or tensor is None or made is None:
            continue
        if claim.subject != site.name and (claim.subject is not None or lines.count(line) > 1):
            continue
        said = _sizes(claim.read(view.evidence.scope.symbol))
        shape = view.shape(tensor)
        if shape is not None and len(said) == shape.rank and len(said) > 1:
            yield _Claimed(site, tensor, made, claim, said, _sizes(shape))


def _as_others_say(claimed: _Claimed, listed: Sequence[_Claimed], facts: Facts) -> list[int] | None:
    """Which claimed axis each traced one is by what the other claims call the sizes."""
    others = [each for each in listed if each.claim is not claimed.claim and each.is_sure]
    if not claimed.is_sure:
        return None
    meant = [_meant(size, others, facts) for size in claimed.said]
    return _order([size for size in meant if size is not None], claimed.traced, facts)


def _as_moved(claimed: _Claimed, listed: Sequence[_Claimed], view: View) -> list[int] | None:
    """Which claimed axis each one is by the claim about the tensor whose axes were moved."""
    source, event = claimed.made.source, claimed.made.event
    if source is None or not isinstance(event, Permutation):
        return None
    made = view.graph.maker(source)
    before = next((each.said for each in listed if each.made is made), None)
    if before is None or len(set(before)) < len(before) or set(before) != set(claimed.said):
        return None
    order = [claimed.said.index(before[axis]) for axis in event.order]
    return order if order != sorted(order) else None


def _sizes(shape: Shape | None) -> tuple[Size, ...]:
    """The sizes of a shape; none if one is not known."""
    if shape is None or not shape.closed:
        return ()
    sizes = [size for size in shape.sizes() if size is not None]
    return tuple(sizes) if len(sizes) == len(shape.axes) else ()


def _meant(said: Size, others: Sequence[_Claimed], facts: Facts) -> Size | None:
    """What all other claims call so: the size of an axis; None if they do not agree."""
    if said.number is not None:
        return said
    named = [size for each in others for size in _named(said.symbol, each)]
    first = next(iter(named), None)
    if first is None or any(facts.compare(first, each) is not Verdict.EQUAL for each in named):
        return None
    return first


def _named(symbol: Symbol | None, claimed: _Claimed) -> Iterator[Size]:
    for said, size in zip(claimed.said, claimed.traced, strict=True):
        if symbol is not None and said.symbol is symbol:
            yield size


def _order(meant: Sequence[Size], traced: Sequence[Size], facts: Facts) -> list[int] | None:
    """Which claimed axis each traced one is, where they are the same in another order."""
    if len(meant) != len(traced):
        return None
    left = list(range(len(meant)))
    order = []
    for place, size in enumerate(traced):
        places = [index for index in left if facts.compare(meant[index], size) is Verdict.EQUAL]
        if not places:
            return None
        # As it is said, if that is so; else wherever it is said.
        found = place if place in places else places[0]
        left.remove(found)
        order.append(found)
    return order if order != sorted(order) else None


def _report(rule: Rule, view: View, claimed: _Claimed, order: Sequence[int]) -> Report:
    said = text_of(claimed.said)
    own = text_of(tuple(claimed.said[index] for index in order))
    traced = text_of(claimed.traced)
    return Report(
        rule,
        claimed.made,
        claimed.site.node,
        f"the comment says {said}, but `{claimed.site.name}` is {traced}: what the other comments"
        f" here call {own}",
        Culprit(claimed.site.node, claimed.tensor),
        sizes_of(view.shape(claimed.tensor)),
        f"as traced, or with its axes moved; `{claimed.claim.words}` lists them in another order",
        claim=(claimed.claim.shape, own),
        function=claimed.site.function,
    )
