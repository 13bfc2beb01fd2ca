"""Normalisations: by layer, group, batch, instance and channel neighbourhood, and by the norm.

All keep the shape; what they check is that the sizes they were made for are those of the input.
"""

from __future__ import annotations

from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import Axis, Shape, close, closed, expand
from attncheck.operators.axes import append, axes_text, locate, split_trailing
from attncheck.operators.call import Call
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Clash, Elementwise, Fault, Outcome
from attncheck.operators.features import groups_clash, size_clash
from attncheck.operators.operands import dtype_of, operand_shape
from attncheck.operators.seats import rank_clash, ranks_clash, seat


def layer_norm(call: Call) -> Outcome:
    """Normalisation over the last axes, whose sizes ``sizes`` says; weight and bias have these."""
    shape, sizes = operand_shape(call, "x"), call.sizes("sizes")
    dtype = dtype_of(call.arguments.get("x"))
    event = Elementwise("layer_norm", None)
    if shape is None or sizes is None:
        return Outcome(call.make(shape, dtype), event)
    taken = split_trailing(shape, len(sizes), call.facts)
    if taken is None or not sizes:
        text = f"normalises {axes_text(len(sizes))} of {shape}"
        return Outcome(call.make(None, dtype), event, Clash(Fault.RANK, text))
    named = closed(Axis(size) for size in sizes)
    clash = _sizes_clash(call, closed(taken[1]), named, 0)
    for operand, name in enumerate(("weight", "bias"), start=1):
        given = call.shape(name)
        if clash is None and given is not None and given.closed:
            clash = _sizes_clash(call, named, given, operand)
    if clash is not None:
        return Outcome(call.make(None, dtype), event, clash)
    return Outcome(call.make(expand(append(*taken), call.facts), dtype), event)


def _sizes_clash(call: Call, left: Shape, right: Shape, operand: int) -> Clash | None:
    """The clash of two shapes that must be the same, or None."""
    text = f"normalises {left} with sizes {right}"
    if len(left.lead) != len(right.lead):
        return Clash(Fault.RANK, text, operand)
    for one, other in zip(left.lead, right.lead, strict=True):
        if one.size is None or other.size is None:
            continue
        if len(left.lead) == 1:
            verdict = normalised_sizes(one, other, call.facts)
        else:
            verdict = call.facts.force(one.size, other.size, "normalised sizes")
        if verdict.clashes:
            return Clash(Fault.FEATURES, text, operand, one.size, other.size, verdict)
    return None


def normalised_sizes(axis: Axis, named: Axis, facts: Facts) -> Verdict:
    """How the size of an axis compares with the one that it is normalised for.

    Of one number the mean is that number, and nothing of it is left: nobody normalises that. Where
    an axis certainly is 1, a size that has a name is another one.
    """
    if axis.size is None or named.size is None:
        return Verdict.UNKNOWN
    verdict = facts.force(axis.size, named.size, "normalised sizes")
    given = facts.resolve(named.size)
    told = given.number is None and not any(symbol.found for symbol in given.symbols())
    return Verdict.DISTINCT if verdict is Verdict.UNKNOWN and axis.is_one and told else verdict


def normalize(call: Call) -> Outcome:
    """Vectors along ``axis`` divided by their norm: the shape of x."""
    shape = operand_shape(call, "x")
    axis = call.integer("axis") if call.given("axis") else 1
    dtype = dtype_of(call.arguments.get("x"))
    event = Elementwise("normalize", None)
    number = shape is not None and shape.rank == 0 and axis in (0, -1)
    if shape is None or axis is None or (number and call.library != "jax"):
        # Keras makes a vector of a number.
        known = None if call.library == "tensorflow" else shape
        return Outcome(call.make(known, dtype), event)
    found = locate(shape, (axis,), call.facts)
    if isinstance(found, Clash):
        return Outcome(call.make(None, dtype), event, found)
    layout, (index,) = found
    event = Elementwise("normalize", None, layout.number(index))
    return Outcome(call.make(expand(shape, call.facts), dtype), event)


def group_norm(call: Call) -> Outcome:
    """``(N, C, ...)``: the C channels in ``groups`` groups, each normalised by itself.

    weight and bias are ``(C,)``. Clashes if the groups do not divide the channels.
    """
    return _by_channel(call, "group_norm", 1, 2)


def batch_norm(call: Call) -> Outcome:
    """``(N, C, ...)``, each of the C channels normalised over all else.

    Running mean and variance, weight and bias are ``(C,)``.
    """
    return _by_channel(call, "batch_norm", 1, 2)


def instance_norm(call: Call) -> Outcome:
    """``(N, C, ...)`` or ``(C, ...)``, each channel of each sample normalised by itself.

    The layer's ``spatial`` says how many axes follow the channels. A layer without weights and
    statistics of its own takes any number of channels.
    """
    spatial = call.integer("spatial")
    return _by_channel(call, "instance_norm", 1 if spatial is None else -spatial - 1, 3)


def local_response_norm(call: Call) -> Outcome:
    """Each element divided by its neighbours over channels: ``(N, C, ...)``, 3 axes or more."""
    return _by_channel(call, "local_response_norm", 1, 3)


def _by_channel(call: Call, kind: str, axis: int, least: int) -> Outcome:
    shape, dtype = operand_shape(call, "x"), dtype_of(call.arguments.get("x"))
    event = Elementwise(kind, None)
    if shape is None:
        return Outcome(call.make(None, dtype), event)
    ranks = call.integers("ranks")
    clash = _rank_clash(shape, ranks, least)
    if ranks is not None and len(ranks) == 1 and clash is None:
        closed_shape = close(shape, ranks[0], call.facts)
        shape = closed_shape if closed_shape is not None else shape
    found = None if clash is not None else seat(shape, axis, call.facts)
    if found is not None:
        clash = _channels_clash(call, found.axis, kind != "instance_norm")
        shape = found.shape
    if clash is not None:
        return Outcome(call.make(None, dtype), event, clash)
    return Outcome(call.make(without_marks(expand(shape, call.facts)), dtype), event)


def _rank_clash(shape: Shape, ranks: tuple[int, ...] | None, least: int) -> Clash | None:
    if ranks is not None:
        return ranks_clash(shape, ranks)
    if shape.closed and len(shape.lead) < least:
        return rank_clash(shape, f"{axes_text(least)} or more")
    return None


_VECTORS = ("weight", "bias", "mean", "variance")


def _channels_clash(call: Call, channels: Axis, assumed: bool) -> Clash | None:
    """Why the channels are not the ones that the layer or its weights are for, or None.

    ``assumed`` is whether a layer has weights of its own where nothing is said.
    """
    facts, declared = call.facts, call.size("channels")
    clash = groups_clash(declared, call.size("groups"), facts)
    if clash is None and any(call.flag(name, assumed) for name in ("affine", "tracked")):
        clash = size_clash(channels, declared, facts, "channels")
    if clash is None:
        clash = groups_clash(channels.size, call.size("groups"), facts)
    for name in _VECTORS:
        given = call.shape(name)
        if clash is None and given is not None and given.rank == 1:
            clash = size_clash(channels, given.lead[0].size, facts, "channels")
    return clash
