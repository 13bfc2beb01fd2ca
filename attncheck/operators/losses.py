"""Losses over a prediction and a target, and distances between two sets of vectors.

The elementwise losses of torch broadcast, with a warning that nobody reads; that is what rules look
for in the `Loss` event. Those that demand equal shapes clash instead.
"""

from __future__ import annotations

from attncheck.algebra.broadcast import broadcast, broadcast_all
from attncheck.algebra.facts import Facts, Verdict
from attncheck.algebra.shape import SCALAR, Axis, Shape
from attncheck.algebra.size import ONE
from attncheck.operators.axes import split_trailing
from attncheck.operators.call import Call
from attncheck.operators.elementwise import broadcast_clash, without_marks
from attncheck.operators.events import Clash, Fault, Loss, Outcome
from attncheck.operators.operands import dtype_of, operand_shape
from attncheck.operators.seats import axis_clash, rank_clash, seat
from attncheck.values.tensor import Tensor


def _kind(call: Call) -> str:
    return call.text("kind") or call.spelling.rpartition(".")[2]


def _reduced(call: Call, shape: Shape | None) -> Tensor:
    """The loss itself: one number, or one each with ``reduction="none"``."""
    reduction = call.text("reduction") if call.given("reduction") else "mean"
    if reduction is None or call.given("reduce") or call.given("size_average"):
        return call.make(None, "float")
    if reduction != "none":
        return call.make(SCALAR, "float")
    return call.make(None if shape is None else without_marks(shape), "float")


def elementwise(call: Call) -> Outcome:
    """mse_loss and others: ``x`` and ``y`` broadcast, then averaged."""
    shapes = [operand_shape(call, name) for name in ("x", "y", "z") if call.given(name)]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < max(len(shapes), 2):
        return Outcome(_reduced(call, None), Loss(_kind(call), None))
    spread = broadcast_all(known, call.facts)
    clash = broadcast_clash(spread, "takes the loss over", known)
    if call.flag("same_rank"):
        clash = _unlike_ranks(known) or clash
    return Outcome(_reduced(call, spread.shape), Loss(_kind(call), spread), clash)


def _unlike_ranks(shapes: list[Shape]) -> Clash | None:
    """Why tensors do not all have as many axes, or None."""
    if len({shape.rank for shape in shapes if shape.closed}) < 2:
        return None
    text = f"takes the loss over {' and '.join(map(str, shapes))}, which must have as many axes"
    return Clash(Fault.RANK, text)


def triplet(call: Call) -> Outcome:
    """triplet_margin_loss: the distances of ``x`` to ``y`` and to ``z``, over the last axis.

    All have as many axes; each pair broadcasts, and so do the distances.
    """
    shapes = [operand_shape(call, name) for name in ("x", "y", "z")]
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return Outcome(_reduced(call, None), Loss(_kind(call), None))
    clash = _unlike_ranks(known)
    distances = []
    for other in known[1:]:
        spread = broadcast(known[0], other, call.facts)
        clash = clash or broadcast_clash(spread, "compares", (known[0], other))
        distances.append(_rows(spread.shape, call.facts))
    if clash is not None or distances[0] is None or distances[1] is None:
        return Outcome(_reduced(call, None), Loss(_kind(call), None), clash)
    spread = broadcast(distances[0], distances[1], call.facts)
    clash = broadcast_clash(spread, "takes the loss over distances", (distances[0], distances[1]))
    return Outcome(_reduced(call, spread.shape), Loss(_kind(call), spread), clash)


def _rows(shape: Shape | None, facts: Facts) -> Shape | None:
    """The shape without its last axis, if it has one."""
    if shape is None or shape.rank == 0:
        return shape
    taken = split_trailing(shape, 1, facts)
    return None if taken is None else taken[0]


def cosine_embedding(call: Call) -> Outcome:
    """cosine_embedding_loss: ``x`` and ``y`` (n, d), ``z`` (n,); or without n."""
    left, right, target = (call.shape(name) for name in ("x", "y", "z"))
    event = Loss(_kind(call), None)
    if left is None or right is None or target is None:
        return Outcome(_reduced(call, None), event)
    if target.rank is None or left.rank is None or right.rank is None:
        return Outcome(_reduced(call, None), event)
    if target.rank > 1 or {left.rank, right.rank} != {target.rank + 1}:
        text = f"takes vectors (n, d) and one number for each, not {left}, {right} and {target}"
        return Outcome(_reduced(call, None), event, Clash(Fault.RANK, text))
    vectors = broadcast(left, right, call.facts)
    clash = broadcast_clash(vectors, "compares", (left, right))
    if clash is not None or vectors.shape is None:
        return Outcome(_reduced(call, None), event, clash)
    rows = Shape(vectors.shape.lead[:-1])
    spread = broadcast(rows, target, call.facts)
    clash = broadcast_clash(spread, "takes the loss over", (rows, target))
    return Outcome(_reduced(call, spread.shape), Loss(_kind(call), spread), clash)


def same_size(call: Call) -> Outcome:
    """binary_cross_entropy and others: ``x`` and ``y`` of one shape."""
    left, right = call.shape("x"), call.shape("y")
    if left is None or right is None:
        return Outcome(_reduced(call, left or right), Loss(_kind(call), None))
    spread = broadcast(left, right, call.facts)
    clash = _unequal(left, right, call.facts)
    return Outcome(_reduced(call, left), Loss(_kind(call), spread), clash)


def _unequal(left: Shape, right: Shape, facts: Facts) -> Clash | None:
    """Why two shapes are not the same, or None."""
    text = f"takes the loss over {left} and {right}, which must be the same shape"
    if left.rank is None or right.rank is None:
        return None
    if left.rank != right.rank:
        return Clash(Fault.BROADCAST, text, 1)
    for a, b in zip(left.lead, right.lead, strict=True):
        if a.size is None or b.size is None:
            continue
        verdict = facts.force(a.size, b.size, text)
        if verdict.clashes:
            return Clash(Fault.BROADCAST, f"{text}: {a} meets {b}", 1, a.size, b.size, verdict)
    return None


def classes(call: Call) -> Outcome:
    """cross_entropy, nll_loss: scores (c,) or (n, c, ...), classes () or (n, ...).

    cross_entropy also takes probabilities of the shape of the scores. Clashes where the sizes off
    the class axis differ.
    """
    scores, target = call.shape("x"), call.shape("y")
    event = Loss(_kind(call), None)
    if scores is None or scores.rank is None or target is None or target.rank is None:
        # Probabilities instead of classes have one axis more than the loss.
        each = target if dtype_of(call.value("y")) == "int" else None
        return Outcome(_reduced(call, each), event)
    if not scores.lead:
        no_axis = rank_clash(scores, "scores with a class axis")
        return Outcome(_reduced(call, None), event, no_axis)
    place = 0 if scores.rank == 1 else 1
    rest = Shape(scores.lead[:place] + scores.lead[place + 1 :])
    probabilities = _kind(call) == "cross_entropy" and dtype_of(call.value("y")) != "int"
    if scores.rank == target.rank and probabilities:
        return Outcome(_reduced(call, rest), event, _unequal(scores, target, call.facts))
    if rest.rank != target.rank:
        text = f"takes the loss over scores {scores} and classes {target}"
        return Outcome(_reduced(call, None), event, Clash(Fault.BROADCAST, text, 1))
    clash = _classes_last(scores, target, call.facts)
    spread = broadcast(rest, target, call.facts)
    clash = clash or _unequal(rest, target, call.facts)
    return Outcome(_reduced(call, target), Loss(_kind(call), spread), clash)


def _classes_last(scores: Shape, target: Shape, facts: Facts) -> Clash | None:
    """Why scores ``(n, t, c)`` do not fit classes ``(n, t)``, though `c` might be `t`.

    The second axis of the scores is the one that the classes are counted along; theirs would have
    to be as many as there are classes.
    """
    if len(target.lead) != 2:
        return None
    _, places, last = (axis.size for axis in scores.lead)
    counted = target.lead[1].size
    if places is None or last is None or counted is None or counted.symbol is None:
        return None
    if facts.compare(places, counted) is not Verdict.EQUAL:
        return None
    verdict = facts.compare(last, counted)
    if verdict is not Verdict.UNKNOWN:
        return None
    text = f"takes the loss over scores {scores}, whose classes are on axis 1, and classes {target}"
    return Clash(Fault.BROADCAST, text, 0, last, counted, Verdict.DISTINCT)


def similarity(call: Call) -> Outcome:
    """cosine_similarity: ``x`` and ``y`` broadcast, then the axis is summed away."""
    return _compared(call, call.integer("axis") if call.given("axis") else 1, keepdims=False)


def pairwise(call: Call) -> Outcome:
    """pairwise_distance: ``x`` and ``y`` broadcast, then the last axis is summed away."""
    return _compared(call, -1, call.flag("keepdims"))


def _compared(call: Call, axis: int | None, keepdims: bool | None) -> Outcome:
    left, right = call.shape("x"), call.shape("y")
    if left is None or right is None or axis is None or keepdims is None:
        return Outcome(call.make(None, "float"))
    spread = broadcast(left, right, call.facts)
    clash = broadcast_clash(spread, "compares", (left, right))
    if clash is not None or spread.shape is None:
        return Outcome(call.make(None, "float"), Loss(_kind(call), spread), clash)
    found = seat(spread.shape, axis, call.facts)
    if found is None:
        clash = axis_clash(spread.shape, axis, call.facts)
        return Outcome(call.make(None, "float"), Loss(_kind(call), spread), clash)
    shape = found.put(Axis(ONE, made="keepdims")) if keepdims else found.put()
    rank = spread.shape.rank
    over = axis % rank if rank else axis
    return Outcome(call.make(without_marks(shape), "float"), Loss(_kind(call), spread, over))


def distances(call: Call) -> Outcome:
    """cdist: (..., p, m) and (..., r, m) to (..., p, r)."""
    left, right = call.shape("x"), call.shape("y")
    if left is None or right is None or left.rank is None or right.rank is None:
        return Outcome(call.make(None, "float"))
    for operand, shape in enumerate((left, right)):
        if len(shape.lead) < 2:
            clash = rank_clash(shape, "at least two axes", operand)
            return Outcome(call.make(None, "float"), clash=clash)
    a, b = left.lead[-1], right.lead[-1]
    if a.size is not None and b.size is not None:
        text = f"measures distances between vectors of {a} and of {b}"
        verdict = call.facts.force(a.size, b.size, text)
        if verdict.clashes:
            clash = Clash(Fault.CONTRACTION, text, 1, a.size, b.size, verdict)
            return Outcome(call.make(None, "float"), clash=clash)
    batch = Shape(left.lead[:-2]), Shape(right.lead[:-2])
    spread = broadcast(*batch, call.facts)
    unlike = broadcast_clash(spread, "measures distances in batches of", batch)
    if unlike is not None or spread.shape is None:
        return Outcome(call.make(None, "float"), clash=unlike)
    axes = (*spread.shape.lead, left.lead[-2], right.lead[-2])
    return Outcome(call.make(without_marks(Shape(axes)), "float"))
