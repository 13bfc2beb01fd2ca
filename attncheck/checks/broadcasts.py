"""What is wrong with an elementwise operation: one diagnosis that four rules read.

A lost keepdim, an outer product nobody asked for, axes that line up by position only, and sizes
that cannot broadcast at all look alike from outside; exactly one of the rules speaks.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator

from attncheck.algebra.broadcast import Broadcast, How
from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Tag
from attncheck.algebra.size import ONE, Size
from attncheck.checks.crossed import crossed
from attncheck.checks.displaced import beside_its_own, displaced, put_under
from attncheck.checks.elementwise_mistakes import Diagnosis, Kind
from attncheck.checks.mask_places import misplaced
from attncheck.checks.outer import outer
from attncheck.checks.put_in_order import other_orders
from attncheck.checks.report import Culprit, Report, Sizes, hidden_while, text_of
from attncheck.checks.stretched_scores import is_stretched
from attncheck.checks.unrepeated import unrepeated
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import (
    COMPARISONS,
    Elementwise,
    Fault,
    Joining,
    Permutation,
    Reduction,
)
from attncheck.rule import Rule
from attncheck.values.tensor import Evidence, Tensor

#: Comparing every element of one vector with every element of another is a table, and meant.
_TABLES = COMPARISONS | {"&", "|", "^"}
#: Operators that name all axes of what they take or give.
_TELLING = frozenset({"permute", "permute_all", "reshape"})
#: How far back one is looked for.
_NEAR = 6


def diagnose(operation: Operation, view: View) -> Diagnosis | None:
    """The mistake of an elementwise operation, or None."""
    event = operation.event
    if not isinstance(event, Elementwise):
        return None
    tensors = list(operation.tensors())
    if len(tensors) != 2 or view.remembered(misplaced, operation) is not None:
        return None
    if is_stretched(operation, view):
        return None
    lost = _lost_keepdim(operation, view, tensors)
    if lost is not None:
        return lost
    if operation.clash is not None:
        return _clash(operation, view, tensors)
    if event.symbol in _TABLES or event.broadcast is None:
        return None
    return (
        outer(operation, view, tensors)
        or _displaced(event, view, tensors)
        or _displaced_by_size(event.broadcast, view, tensors)
    )


def report(
    rule: Rule, kind: Kind, operation: Operation, view: View, wording: str
) -> Iterator[Report]:
    """The report of `rule` if the operation's mistake is of its kind.

    `wording` has places for the ``code``, the shapes ``left`` and ``right`` and the ``clash``.
    """
    found = view.remembered(diagnose, operation)
    if found is None or found.kind is not kind:
        return
    (_, a), (_, b) = operation.tensors()
    left, right = map(text_of, found.before) if found.before else (view.text(a), view.text(b))
    message = wording.format(
        code=view.quote(operation.node),
        left=left,
        right=right,
        clash="" if operation.clash is None else operation.clash.text,
        culprit=view.quote(found.culprit.node),
    )
    yield Report(
        rule,
        operation,
        operation.node,
        message,
        found.culprit,
        found.expected,
        found.derivation,
        hidden=hidden_while(operation, view.facts) or _hidden(found),
    )


def _hidden(found: Diagnosis) -> str:
    """When a mistake hides that a rule found in sizes which the operation took to be one."""
    left, right = found.before or ((), ())
    pairs = zip(reversed(left), reversed(right), strict=False)
    met = [(a, b) for a, b in pairs if a != b and ONE not in (a, b)]
    told = " and ".join(f"{a} == {b}" for a, b in met)
    return f"hidden while {told}" if met else ""


# -- lost keepdim -------------------------------------------------------------------------------


def _lost_keepdim(
    operation: Operation, view: View, tensors: list[tuple[Operand, Tensor]]
) -> Diagnosis | None:
    """A reduction without keepdims, put back against what it was reduced from."""
    for index in (1, 0):
        operand, reduced = tensors[index]
        whole = tensors[1 - index][1]
        made = view.graph.maker(reduced)
        if made is None or not isinstance(made.event, Reduction) or made.event.keepdims:
            continue
        if made.event.axes is None or len(made.event.axes) != 1:
            continue
        source = next(iter(made.tensors()), None)
        if source is None or not _same_elements(view, source[1], whole):
            continue
        axis = made.event.axes[0]
        rank = None if (shape := view.shape(source[1])) is None else shape.rank
        if not _misaligns(axis, rank):
            continue
        expected, derivation = _kept(view, source[1], axis)
        assert operand.node is not None
        return Diagnosis(
            Kind.LOST_KEEPDIM,
            Culprit(operand.node, reduced),
            expected,
            derivation,
        )
    return None


def _same_elements(view: View, source: Tensor, whole: Tensor) -> bool:
    """Whether `whole` is the reduced tensor itself, or the same elements transformed one by one."""
    if source.operation is not None and source.operation == whole.operation:
        return True
    if source.operation is None and whole.operation is None:
        return source.shape is not None and source.shape is whole.shape
    made = view.graph.maker(source)
    return (
        made is not None
        and isinstance(made.event, Elementwise)
        and any(tensor.operation == whole.operation is not None for _, tensor in made.tensors())
    )


def _misaligns(axis: int, rank: int | None) -> bool:
    """Whether a tensor without `axis` lines up wrongly with the one that has it.

    Without its first axis it lines up rightly; without any later one never, whatever the rank.
    """
    if rank is None:
        return axis >= 1
    return rank >= 2 and axis % rank != 0


def _kept(view: View, source: Tensor, axis: int) -> tuple[Sizes | None, str]:
    sizes = view.sizes(source)
    if sizes is None:
        return None, "with the reduced axis kept as 1, so that it lines up with what it came from"
    kept = list(sizes)
    kept[axis] = ONE
    return tuple(
        kept
    ), f"with the reduced axis kept as 1, so that it lines up with {text_of(sizes)}"


# -- clashes ------------------------------------------------------------------------------------


def _clash(
    operation: Operation, view: View, tensors: list[tuple[Operand, Tensor]]
) -> Diagnosis | None:
    """Sizes that cannot broadcast: the operand that stands the wrong way round or lacks an axis."""
    clash = operation.clash
    assert clash is not None
    if clash.fault is not Fault.BROADCAST:
        return None
    sizes = [view.sizes(tensor) for _, tensor in tensors]
    x, y = sizes
    if x is None or y is None or tensors[0][0].node is None or tensors[1][0].node is None:
        return None
    runs = clash.verdict is Verdict.DISTINCT and view.coincide(clash.left, clash.right)
    kind = Kind.MISALIGNED if runs else Kind.MISMATCH
    pairs = crossed(operation, view)
    if pairs is not None:
        keys, tensor = tensors[1 - pairs.queries]
        assert keys.node is not None
        derivation = f"beside {text_of(pairs.query)}, so that every query meets every key"
        return Diagnosis(kind, Culprit(keys.node, tensor), pairs.key, derivation)
    copies = view.remembered(unrepeated, operation)
    if copies is not None:
        operand, tensor = tensors[copies.index]
        assert operand.node is not None
        rows = "all rows" if copies.tiled else "each row"
        derivation = f"{rows} {copies.count} times, as {text_of(sizes[1 - copies.index])} has them"
        return Diagnosis(kind, Culprit(operand.node, tensor), copies.expected, derivation)
    ways = (
        *_without(x, y, operation, view),
        *_ways(x, y),
        *_unpermuted(tensors, view),
        *other_orders(x, y),
        *_under(x, y, view),
    )
    for index, wanted, how in ways:
        other = y if index == 0 else x
        operand, tensor = tensors[index]
        inserted = how.startswith("with")
        if not inserted and _is_given(tensor):
            continue
        if _fits(view, wanted, other):
            assert operand.node is not None
            kind = kind if inserted else Kind.MISMATCH
            derivation = f"{how}, so that it lines up with {text_of(other)}"
            return Diagnosis(kind, Culprit(operand.node, tensor), wanted, derivation)
    operand, tensor = tensors[min(clash.operand, 1)]
    assert operand.node is not None
    derivation = f"a shape that broadcasts against {text_of(sizes[1 - min(clash.operand, 1)])}"
    return Diagnosis(kind, Culprit(operand.node, tensor), None, derivation)


def _is_given(tensor: Tensor) -> bool:
    """Whether a tensor comes in as the table has it: what was made here can stand turned round."""
    return tensor.operation is None and tensor.role is not None


def _without(
    x: Sizes, y: Sizes, operation: Operation, view: View
) -> Iterator[tuple[int, Sizes, str]]:
    """An axis of 1 left out of what was made here, where the other operand comes in without it."""
    here = [
        made is not None and made.place.function == operation.place.function
        for made in (view.graph.maker(tensor) for _, tensor in operation.tensors())
    ]
    for index, sizes, other in ((0, x, y), (1, y, x)):
        if len(sizes) != len(other) + 1 or not here[index] or here[1 - index]:
            continue
        for at in reversed(range(1, len(sizes))):
            rest = (*sizes[:at], *sizes[at + 1 :])
            if sizes[at] == ONE and rest == other:
                yield index, rest, "without the axis of 1"


def _unpermuted(
    tensors: list[tuple[Operand, Tensor]], view: View
) -> Iterator[tuple[int, Sizes, str]]:
    """Each operand whose axes were put in another order, as it was before."""
    for index, (_, tensor) in enumerate(tensors):
        made = view.maker(tensor)
        if made is None or not isinstance(made.event, Permutation):
            continue
        sizes = view.sizes(made.source)
        if sizes is not None:
            yield index, sizes, f"as it is before `{view.quote(made.node)}`"


def _ways(x: Sizes, y: Sizes) -> list[tuple[int, Sizes, str]]:
    """What could be done to one operand: exchange its last axes, or put in an axis of 1."""
    ways: list[tuple[int, Sizes, str]] = []
    for index, sizes, other in ((0, x, y), (1, y, x)):
        if len(sizes) >= 2 and len(sizes) >= len(other):
            ways.append((index, (*sizes[:-2], sizes[-1], sizes[-2]), "the other way round"))
    for index, sizes, other in ((0, x, y), (1, y, x)):
        if len(sizes) < len(other):
            for at in range(len(sizes), 0, -1):
                ways.append((index, (*sizes[:at], ONE, *sizes[at:]), "with an axis of 1"))
    return ways


def _under(x: Sizes, y: Sizes, view: View) -> Iterator[tuple[int, Sizes, str]]:
    """The shorter operand with each axis under the one of its size, by several axes of 1."""
    for index, sizes, other in ((0, x, y), (1, y, x)):
        wanted = put_under(sizes, other, view.equal) if len(sizes) < len(other) else None
        if wanted is not None and wanted.count(ONE) > 1:
            yield index, wanted, "with axes of 1"


def _fits(view: View, wanted: Sizes, other: Sizes) -> bool:
    """Whether two shapes line up with every pair of sizes equal, or one of them a 1.

    Not where both would be stretched, each along an axis of the other: that is a table.
    """
    longer = len(wanted) > len(other)
    rest = (wanted if longer else other)[: abs(len(wanted) - len(other))]
    added = any(size is None or size.number != 1 for size in rest)
    stretched = [not longer and added, longer and added]
    for a, b in zip(reversed(wanted), reversed(other), strict=False):
        if a is None or b is None:
            return False
        if a.number == 1 or b.number == 1:
            stretched[0 if a.number == 1 else 1] |= a.number != b.number
            continue
        if view.facts.compare(a, b) is not Verdict.EQUAL:
            return False
    return not all(stretched)


# -- axes that are known by their birth ------------------------------------------------------------


def _displaced(
    event: Elementwise, view: View, tensors: list[tuple[Operand, Tensor]]
) -> Diagnosis | None:
    """``(B, T) * (B, T, d)``: axes of the shorter one meet others than those they are.

    The longer one has the very same axes, so the sizes are compared that should not be.
    """
    assert event.broadcast is not None
    pairings = event.broadcast.pairings
    if event.broadcast.shape is None or not event.broadcast.shape.closed:
        return None
    for index, added in ((0, How.LEFT_ADDED), (1, How.RIGHT_ADDED)):
        if not any(pairing.how is added for pairing in pairings):
            continue
        sides = [
            (each.left, each.right) if index == 0 else (each.right, each.left) for each in pairings
        ]
        ranks = [len(view.sizes(tensors[side][1]) or ()) for side in (index, 1 - index)]
        if ranks != [sum(side[place] is not None for side in sides) for place in (0, 1)]:
            continue  # of three operands only two are paired
        assumed = [each.how is How.ASSUMED for each in pairings]
        births = {site.name for site in view.traced.sites if site.node in view.parameters}
        longer = [
            other.tag
            for _, other in sides
            if other is not None and other.tag is not None and other.tag.root in births
        ]
        moved = [
            own is not None and other is not None and _is_elsewhere(own, other, longer)
            for own, other in sides
        ]
        wanted = _put_under(sides)
        node = tensors[index][0].node
        if any(map(operator.and_, assumed, moved)) and wanted is not None and node is not None:
            derivation = "with an axis of 1, so that each axis meets itself"
            culprit = Culprit(node, tensors[index][1])
            return Diagnosis(Kind.MISALIGNED, culprit, wanted, derivation)
    return None


def _displaced_by_size(
    met: Broadcast, view: View, tensors: list[tuple[Operand, Tensor]]
) -> Diagnosis | None:
    """``(B, T, d) + (B, T, d, 1)``: axes meet others than those of their size."""
    left, right = (view.sizes(tensor) for _, tensor in tensors)
    if left is None or right is None or _is_of_presumed_rank(view, tensors):
        return None
    lefts, rights = ([getattr(p, side) for p in met.pairings] for side in ("left", "right"))
    if [len(left), len(right)] != [len(each) - each.count(None) for each in (lefts, rights)]:
        return None  # a part of one of them is met
    before = (left, right)
    found = beside_its_own(met, [tensor for _, tensor in tensors])
    if found is not None:
        before = found.before
    for index, wanted in ((found.index, found.wanted),) if found else displaced(before, view):
        operand, tensor = tensors[index]
        if operand.node is not None:
            derivation = f"so that each axis meets itself in {text_of(before[1 - index])}"
            culprit = Culprit(operand.node, tensor)
            return Diagnosis(Kind.MISALIGNED, culprit, wanted, derivation, before)
    return None


def _is_of_presumed_rank(view: View, tensors: list[tuple[Operand, Tensor]]) -> bool:
    """Whether operands of unlike ranks may only be so because a name was taken to say the rank."""
    ranks = {len(view.sizes(tensor) or ()) for _, tensor in tensors}
    named = any(
        tensor.evidence is Evidence.NAME and not _has_told_rank(view, tensor)
        for _, tensor in tensors
    )
    return view.traced.terms.conventional and named and len(ranks) > 1


def _has_told_rank(view: View, tensor: Tensor, steps: int = _NEAR) -> bool:
    """Whether an operation on the way names every axis that a tensor has: ``permute(2, 0, 1)``."""
    made = view.graph.maker(tensor) if steps else None
    if made is None or made.kind in _TELLING:
        return made is not None
    sizes = view.sizes(tensor)
    return isinstance(made.event, Elementwise | Joining) and any(
        len(view.sizes(each) or ()) == len(sizes or ()) and _has_told_rank(view, each, steps - 1)
        for _, each in made.tensors()
    )


def _is_elsewhere(own: Axis, other: Axis, longer: list[Tag]) -> bool:
    """Whether an axis meets another one although its own is there."""
    known = own.tag is not None and other.tag is not None
    return known and own.tag != other.tag and own.tag in longer


def _put_under(sides: list[tuple[Axis | None, Axis | None]]) -> Sizes | None:
    """The sizes of the shorter operand with its axes under the same ones of the longer."""
    own = [axis for axis, _ in sides if axis is not None]
    wanted: list[Size | None] = []
    for _, other in sides:
        if own and other is not None and own[0].tag == other.tag:
            wanted.append(own.pop(0).size)
        else:
            wanted.append(ONE)
    return None if own else tuple(wanted)
