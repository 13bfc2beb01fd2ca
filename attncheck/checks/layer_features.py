"""A layer's declared input size is not that of what it is given.

The size was fixed in ``__init__`` and fails in ``forward``. Which of the two lines is to be edited
is told by what else uses the layer and its input: the odd one out is to blame.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from attncheck.algebra.facts import Verdict
from attncheck.algebra.quotients import cancel_quotients
from attncheck.algebra.shape import Axis, Shape, shape_of
from attncheck.algebra.size import ONE, Size
from attncheck.checks.built import told_outside
from attncheck.checks.constructed import (
    Declared,
    declared,
    layer_of,
    name_of,
    output_size,
    settings,
    weight_sizes,
)
from attncheck.checks.constructions import idle_parameter
from attncheck.checks.crossed_widths import crossed_widths
from attncheck.checks.cut_before import cut_before
from attncheck.checks.forced import exchanged, forced, forced_input, may_overlap
from attncheck.checks.half_pooled import HalfPooled, half_pooled
from attncheck.checks.inputs import (
    KEEPING,
    joined_here,
    joined_otherwise,
    joined_sizes,
    last_axis,
    maker_layer,
    merges_to,
    unused_parameter,
)
from attncheck.checks.lost_channels import LostChannels, lost_channels
from attncheck.checks.reduced_features import ReducedFeatures, reduced_features
from attncheck.checks.report import Culprit, Report, Sizes, hidden_while, text_of
from attncheck.checks.unpassed import unpassed, unpassed_argument
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Contraction, Fault, Joining
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.values.tensor import Decided, Tensor
from attncheck.values.value import Int, Sequence

if TYPE_CHECKING:
    import libcst as cst

RULE = Rule(
    "ATN103",
    "layer-features",
    "a layer's declared input size is not its input's last (or channel) size",
    fix="unsafe",
)
ON = (Fault.FEATURES, Contraction)


@record
class _Meeting:
    """A layer's call that cannot work: the input, its size, and the size the layer was made for."""

    operation: Operation
    operand: Operand
    tensor: Tensor
    given: Size
    wanted: Size

    @property
    def input(self) -> cst.CSTNode:
        """The input as written; within a chain of layers the call of the chain."""
        return self.operand.node or self.operation.node


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a layer that is given another size than it was made for."""
    if operation.clash is None:
        yield from _by_accident(operation, view)
    elif operation.clash.fault is Fault.FEATURES:
        yield from list(unpassed(RULE, operation, view)) or _contradiction(operation, view)


def check_trace(view: View) -> Iterator[Report]:
    """Report layers of each other's inputs, and what is given an axis that is not its channels."""
    yield from crossed_widths(RULE, view)
    for operation in view.graph.operations:
        if operation.bound and not operation.elsewhere:
            product = isinstance(operation.event, Contraction)
            yield from () if product else _by_accident(operation, view)


def _contradiction(operation: Operation, view: View) -> Iterator[Report]:
    met = _meeting(operation, view)
    if met is None:
        return
    made = declared(view, operation, met.wanted)
    if joined_here(view, met.tensor, met.wanted) is not None:
        return  # what joins it is to blame, and is told as that
    lost = lost_channels(operation, view)
    if made is not None and lost is not None:
        yield _without_channels(view, met, made, lost)
        return
    pooled = half_pooled(operation, view)
    if made is not None and pooled is not None:
        yield _left_places(view, met, made, pooled)
        return
    idle = None if made is None or not made.is_making else idle_parameter(view, made, met.given)
    if made is not None and idle is not None:
        why = f"nothing is made with its `{idle}` of {met.given}"
        yield _constructor(view, met, made, met.given, why)
        return
    outvoted = cut_before(view, met.tensor, met.given, met.wanted) or _outvoted(view, met)
    if outvoted is not None:
        yield _constructor(view, met, *outvoted)
        return
    why_call = _why_call(view, met)
    made = told_outside(view, operation, made) or made
    if made is not None and made.is_making and why_call is None:
        why = f"nothing else says {met.wanted} there"
        if met.operand.node is not None:
            why = f"nothing wants `{view.quote(met.operand.node)}` to be {met.wanted}"
        yield _constructor(view, met, made, met.given, why)
    else:
        yield _call(view, met, made, why_call)


def _meeting(operation: Operation, view: View) -> _Meeting | None:
    clash = operation.clash
    tensors = list(operation.tensors())
    if clash is None or clash.left is None or clash.right is None or not tensors:
        return None
    operand, tensor = tensors[min(clash.operand, len(tensors) - 1)]
    if may_overlap(tensor.shape) or _may_be_an_item(view, tensor):
        return None
    given, wanted = cancel_quotients(clash.left), cancel_quotients(clash.right)
    return _Meeting(operation, operand, tensor, given, wanted)


def _may_be_an_item(view: View, tensor: Tensor) -> bool:
    """Whether a tensor is taken by a number from an argument that may be a list of tensors."""
    made = view.graph.maker(tensor)
    if made is None or made.kind != "index":
        return False
    source = next(made.tensors())[1]
    keys = [operand.value for operand in made.operands if operand.name == "key"]
    items = [k.items if type(k) is Sequence and k.items is not None else (k,) for k in keys]
    by_number = any(len(each) == 1 and type(each[0]) is Int for each in items)
    return by_number and source.operation is None and _is_unseen(view, source)


# -- which of the two is the odd one out -----------------------------------------------------------


def _outvoted(view: View, met: _Meeting) -> tuple[Declared, Size, str] | None:
    """The one layer that stands against two or more others, with the size that these agree on.

    Layers that take the same tensor vote on its size, and so does the layer that made it, or, where
    it is known without them, the size that it has.
    """
    takers = _takers(view, met)
    sizes: list[tuple[Size, list[Declared]]] = []
    for made in takers:
        group = next((g for size, g in sizes if _equal(view, size, made.size)), None)
        if group is None:
            sizes.append((made.size, [made]))
        else:
            group.append(made)
    seen = not _is_unseen(view, met.tensor)
    votes = [len(most) + (seen and _equal(view, size, met.given)) for size, most in sizes]
    if len(sizes) != 2 or max(votes) < 2 or min(votes) != 1:
        return _maker_outvoted(view, met, takers) if len(sizes) == 1 else None
    (size, most), (_, (odd, *others)) = sizes if votes[0] > votes[1] else sizes[::-1]
    if others or not odd.is_making or (seen and not _equal(view, size, met.given)):
        return None
    names = " and ".join(f"`{name_of(view, made)}`" for made in most[:2])
    return odd, size, f"{names} take{'s' * (len(most) == 1)} {size} of the same input"


def _takers(view: View, met: _Meeting) -> list[Declared]:
    """The layers that are given the same tensor, each with the size it was made for."""
    takers: list[Declared] = []
    for operation in view.graph.operations:
        if layer_of(operation) is None or not any(t is met.tensor for _, t in operation.tensors()):
            continue
        other = _meeting(operation, view)
        size = met.given if other is None else other.wanted
        made = declared(view, operation, size)
        if made is not None and not any(made.node is taker.node for taker in takers):
            takers.append(made)
    return takers


def _maker_outvoted(
    view: View, met: _Meeting, takers: list[Declared]
) -> tuple[Declared, Size, str] | None:
    """The layer that made a tensor, if two or more that take it agree on another size."""
    made = maker_layer(view, met.tensor)
    if made is None or not made.is_making or len(takers) < 2:
        return None
    if not _equal(view, made.size, met.given) or not _equal(view, takers[0].size, met.wanted):
        return None
    names = " and ".join(f"`{name_of(view, taker)}`" for taker in takers[:2])
    return made, met.wanted, f"{names} take {met.wanted}"


def _why_call(view: View, met: _Meeting) -> str | None:
    """Why the call is to blame and not the constructor, or None."""
    source = view.quote(met.input)
    other = _fits_elsewhere(view, met)
    if other is not None:
        return f"`{view.quote(other.node)}`, {view.place(other.node)}, fits"
    axis = _other_axis(view, met)
    if axis is not None:
        return f"axis {axis} of `{source}` is {met.wanted}"
    sizes = view.sizes(met.tensor) or ()
    for first in range(1, len(sizes) - 1):
        if merges_to(view, sizes[first:], met.wanted):
            return f"the last {len(sizes) - first} axes of `{source}` together are {met.wanted}"
    if joined_otherwise(view, met.tensor, met.wanted):
        return f"joined along its last axis, `{source}` has {met.wanted}"
    if _lacks_an_axis(view, met):
        return f"each number of `{source}` is a feature by itself, and wants an axis of 1 behind"
    spare = unused_parameter(view, met.operation)
    if spare is not None and _is_unseen(view, met.tensor):
        return f"`{spare}` is not used"
    return None


def _lacks_an_axis(view: View, met: _Meeting) -> bool:
    """Whether a layer that is written for one feature is given a tensor of plain numbers."""
    made = declared(view, met.operation, met.wanted)
    return made is not None and met.wanted == ONE and view.code(made.node) == "1"


def _fits_elsewhere(view: View, met: _Meeting) -> Operation | None:
    """Another call of the very same layer that works."""
    own = _made_with(met.operation)
    for operation in view.graph.operations:
        if operation.kind != met.operation.kind or operation.clash is not None:
            continue
        if operation.node is not met.operation.node:
            other = _made_with(operation)
            if own and len(own) == len(other) and all(map(operator.is_, own, other)):
                return operation
    return None


def _made_with(operation: Operation) -> list[object]:
    """What a layer is known by: what it was made with, each with the expression.

    Layers of one ``__init__`` may have the same values, and objects of one class the same
    expressions.
    """
    return [each for operand, _ in settings(operation) for each in (operand.value, operand.node)]


def _other_axis(view: View, met: _Meeting) -> int | None:
    """The axis of the input that has the size which the layer wants, or None."""
    sizes = view.sizes(met.tensor) or ()
    for index, size in enumerate(sizes):
        if size is not None and _equal(view, size, met.wanted):
            return index
    return None


def _is_unseen(view: View, tensor: Tensor) -> bool:
    """Whether only what is done with a tensor says what its last size is."""
    axis = last_axis(tensor.shape)
    symbol = None if axis is None or axis.size is None else axis.size.symbol
    return axis is None or (symbol is not None and symbol.flexible)


def _equal(view: View, left: Size, right: Size) -> bool:
    return view.facts.compare(left, right) is Verdict.EQUAL


# -- the reports -----------------------------------------------------------------------------------


def _constructor(view: View, met: _Meeting, made: Declared, wanted: Size, why: str) -> Report:
    """The report that the constructor is to blame."""
    culprit: Culprit | None = None
    expected: Sizes | None = None
    clash = met.operation.clash
    if clash is not None and clash.operand > 0:
        # Of several inputs each has a part of the layer's weights, or a weight of its own.
        culprit = Culprit(met.input, met.tensor)
        sizes = view.sizes(met.tensor)
        expected = None if sizes is None else _with_size(view, sizes, met)
    weight, resized = weight_sizes(view, made), weight_sizes(view, made, wanted)
    if made.target is None and culprit is None and view.sizes(met.tensor) is not None:
        culprit = Culprit(met.input, met.tensor)
    if culprit is None and weight is not None and resized is not None:
        decided = Decided(view.line(made.node), "code", f"made by `{view.code(made.call)}`")
        tensor = Tensor(shape_of(*weight[1]), evidence=met.tensor.evidence, decided=decided)
        culprit, expected = Culprit(made.node, tensor, weight[0]), resized[1]
    return Report(
        RULE,
        met.operation,
        made.node,
        f"{_both(view, met, made)}; the constructor is to blame: {why}",
        culprit,
        expected,
        f"so that `{name_of(view, made)}` {'takes' if made.name != 'out_features' else 'gives'}"
        f" {wanted} features",
        hidden=hidden_while(met.operation, view.facts),
        function=made.function,
        resized=(made, wanted),
    )


def _call(view: View, met: _Meeting, made: Declared | None, why: str | None) -> Report:
    """The report that the call is to blame."""
    sizes = view.sizes(met.tensor)
    expected = None if sizes is None else _with_size(view, sizes, met)
    if sizes is not None and _lacks_an_axis(view, met):
        expected = (*sizes, ONE)
    clash = met.operation.clash
    message = f"`{view.quote(met.operation.node)}` {'' if clash is None else clash.text}"
    if made is not None:
        message = _both(view, met, made)
    return Report(
        RULE,
        met.operation,
        met.operation.node,
        message + (f"; the call is to blame: {why}" if why is not None else ""),
        Culprit(met.input, met.tensor),
        expected,
        f"as the layer takes {met.wanted} features",
        hidden=hidden_while(met.operation, view.facts),
    )


def _without_channels(view: View, met: _Meeting, made: Declared, lost: LostChannels) -> Report:
    """The report that what made the input is to blame, which has dropped its channels."""
    told = "the channels are reduced away"
    if isinstance(lost.made.event, Joining):
        told = "it joins along an axis of places, as the channels were reduced away"
    return Report(
        RULE,
        met.operation,
        lost.made.node,
        f"{_both(view, met, made)}; `{view.quote(lost.made.node)}` is to blame: {told}",
        Culprit(met.input, met.tensor),
        lost.expected,
        f"with {met.wanted} channels, one for each reduction",
        function=lost.made.place.function,
    )


def _left_places(view: View, met: _Meeting, made: Declared, pooled: HalfPooled) -> Report:
    """The report that what pooled the input is to blame, which has left more than one place."""
    told = f"`{view.quote(pooled.made.node)}` is to blame: it leaves {text_of(pooled.sizes)}"
    return Report(
        RULE,
        met.operation,
        pooled.made.node,
        f"{_both(view, met, made)}; {told}, and each of the {met.wanted} channels is pooled to one"
        " place along one axis only",
        Culprit(pooled.operand.node or pooled.made.node, pooled.tensor),
        pooled.expected,
        "with one place for each channel, whatever the height and the width are",
        function=pooled.made.place.function,
    )


def _by_accident(operation: Operation, view: View) -> Iterator[Report]:
    """Report a layer that is given an axis which only has its size if two sizes are equal."""
    reduced = reduced_features(operation, view)
    if reduced is not None:
        yield from _of_reduced(operation, reduced, view)
        return
    find = forced if isinstance(operation.event, Contraction) else forced_input
    found = None if layer_of(operation) is None else find(operation, view)
    made = None if found is None else declared(view, operation, found.wanted)
    if found is None or made is None or found.operand != 0:
        return
    operand = next(operation.tensors())[0]
    met = _Meeting(operation, operand, found.tensor, found.unseen, found.wanted)
    why = f"axis {found.other} of `{view.quote(met.input)}` is {found.wanted}"
    report = _call(view, met, made, why)
    report.hidden = f"hidden while {found.unseen} == {found.wanted}"
    sizes = view.sizes(found.tensor)
    if find is forced_input and sizes is not None:
        report.expected = exchanged(sizes, found.contracted, found.other)
    yield report


def _of_reduced(operation: Operation, found: ReducedFeatures, view: View) -> Iterator[Report]:
    """The report that the features were reduced away which the layer is made for."""
    made, (operand, tensor) = declared(view, operation, found.wanted), next(operation.tensors())
    if made is None or tensor.shape is None:
        return
    tensor = tensor.with_shape(Shape((*tensor.shape.axes[:-1], Axis(found.unseen))))
    met = _Meeting(operation, operand, tensor, found.unseen, found.wanted)
    yield Report(
        RULE,
        operation,
        found.made.node,
        f"{_both(view, met, made)}; `{view.quote(found.made.node)}` is to blame: of"
        f" {text_of(found.sizes)} it leaves out axis {found.lost}, the features, and keeps"
        f" {found.unseen}",
        Culprit(met.input, tensor),
        found.expected,
        f"with axis {found.meant} left out, so that the layer is given {found.wanted} features",
        function=found.made.place.function,
        hidden=f"hidden while {found.unseen} == {found.wanted}",
    )


def _both(view: View, met: _Meeting, made: Declared) -> str:
    """The two lines in contradiction: that of the constructor, and that of the call."""
    call = met.operation.node
    lines = view.place(made.node)
    told = f"`{name_of(view, made)}` is made for {made.size} features, {lines},"
    if made.operation is not met.operation:
        output = output_size(view, made.operation)
        if output is not None and output.node is made.node:
            told = f"`{name_of(view, made)}` is made to give {made.size} features, {lines},"
        return f"{told} but `{view.quote(call)}`, {view.place(call)}, takes {met.wanted}"
    before = None if met.operand.node is not None else maker_layer(view, met.tensor)
    if before is not None:
        return f"{told} but `{view.quote(before.call)}` before it gives {met.given}"
    return f"{told} but is given {met.given}: `{view.quote(met.input)}`, {view.place(call)}"


def _with_size(view: View, sizes: Sizes, met: _Meeting) -> Sizes:
    """The input's sizes with the one that the layer wants in the place of the one it has."""
    places = [i for i, size in enumerate(sizes) if size and _equal(view, size, met.given)]
    if not places:
        return sizes
    return (*sizes[: places[-1]], met.wanted, *sizes[places[-1] + 1 :])


# -- calls of a class that is right by itself ------------------------------------------------------


def fits_in_general(operation: Operation, view: View, report: Report) -> bool:
    """Whether the call that a report is about works on unknown arguments, whatever their size."""
    clash = report.operation.clash
    tensors = list(operation.tensors())
    if operation.clash is not None or clash is None or clash.operand >= len(tensors):
        return False
    return _is_unseen(view, tensors[clash.operand][1])


def is_turned(report: Report, view: View) -> bool:
    """Whether another axis than the last of what a layer is given has the size it was made for."""
    met = _meeting(report.operation, view)
    return met is not None and _other_axis(view, met) is not None


def is_made_inside(report: Report, view: View) -> bool:
    """Whether the size that a layer is given is the work of what is called, not of the caller."""
    met = _meeting(report.operation, view)
    if met is None:
        return False
    if joined_otherwise(view, met.tensor, met.wanted) or _lacks_an_axis(view, met):
        return True
    made_inside = (lost_channels, half_pooled, unpassed_argument)
    if any(diagnosis(report.operation, view) is not None for diagnosis in made_inside):
        return True
    maker = view.graph.maker(met.tensor)
    if maker is not None and isinstance(maker.event, Joining):
        return True
    if joined_sizes(view, met.tensor, -1) is not None:
        return True
    source = maker_layer(view, met.tensor, KEEPING)
    if source is not None and _equal(view, source.size, met.given):
        return True
    # What one layer takes as it is, another one that takes the same is not given by mistake; nor is
    # an object given what it was told of, and has made nothing with.
    if any(_equal(view, taker.size, met.given) for taker in _takers(view, met)):
        return True
    made = declared(view, report.operation, met.wanted)
    return made is not None and idle_parameter(view, made, met.given) is not None


def blame_caller(report: Report, view: View) -> Report:
    """The report that a call from outside gives a layer what it was not made for."""
    met = _meeting(report.operation, view)
    caller = report.operation.place.calls[0]
    assert met is not None
    made = declared(view, met.operation, met.wanted)
    told = f"`{view.quote(met.operation.node)}`" if made is None else _both(view, met, made)
    return replace(
        _call(view, met, made, None),
        node=caller.node,
        function=caller.function,
        message=f"{told}; `{view.quote(caller.node)}` is to blame: what it calls fits by itself",
    )
