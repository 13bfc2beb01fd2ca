"""Keras' attention layers: query, value, and the key behind them, which is the value if left out.

Rules: keras.layers.Attention, AdditiveAttention and MultiHeadAttention. ``(B, T, d)`` queries over
``(B, S, d)`` keys; a mask is true where attention may look.
"""

from __future__ import annotations

from collections.abc import Mapping

from attncheck.algebra.broadcast import Broadcast, broadcast
from attncheck.algebra.contract import Contracted, contract, tell_apart
from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Shape, closed, expand
from attncheck.operators.call import Call
from attncheck.operators.demands import rank_demanded
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Attention, Clash, Fault, Outcome
from attncheck.operators.misfits import contraction_clash, stretch_clash
from attncheck.record import record, replace
from attncheck.values.value import Sequence, Value

#: The operands in their order.
NAMES = ("query", "value", "key")


@record
class _Operands:
    """Query, value and key, of three axes each."""

    query: tuple[Axis, ...]
    value: tuple[Axis, ...]
    key: tuple[Axis, ...]


def list_attention(call: Call) -> Outcome:
    """Attention, AdditiveAttention: ``(B, T, d), (B, S, v), (B, S, d) -> (B, T, v)``.

    The layer would stretch a query of two axes over the batch, so that it is refused here.
    """
    call = replace(call, arguments=by_name(call.arguments))
    found = _operands(call, stretched=True)
    if isinstance(found, Clash) or found is None:
        return _refused(call, found)
    features = contract(found.query[2], found.key[2], call.facts, "query and key")
    clash = contraction_clash([features], 2) or _agreement(call, found)
    positions = contract(found.key[1], found.value[1], call.facts, "key and value")
    event = Attention(found.query[1], _key(found), features, positions, None)
    if clash is not None:
        return _refused(call, clash, event)
    return _attended(call, found, event, found.value[2])


def by_name(arguments: Mapping[str, Value]) -> dict[str, Value]:
    """The arguments with those in the list ``xs`` by their names: query, value, key."""
    rest = {name: value for name, value in arguments.items() if name != "xs"}
    given = arguments.get("xs")
    items = given.items if type(given) is Sequence and given.items is not None else ()
    return rest | dict(zip(NAMES, items, strict=False))


def value_first_attention(call: Call) -> Outcome:
    """MultiHeadAttention: ``(B, T, q), (B, S, v), (B, S, k) -> (B, T, q)``.

    The heads have a size of their own, ``key_dim``, so that no features have to agree. The scores
    are ``(B, heads, T, S)``; ``output_shape`` is the result's width if it is given, and the mask
    stretches to them, or to ``(B, T, S)`` if it has no axis for the heads.
    """
    if call.given("attention_axes"):
        return call.unknown()
    found = _operands(call)
    if isinstance(found, Clash) or found is None:
        return _refused(call, found)
    size = Axis(call.size("key_dim"))
    features = Contracted(size, size, Verdict.EQUAL)
    positions = contract(found.key[1], found.value[1], call.facts, "key and value")
    mask = _mask(call, found)
    event = Attention(
        found.query[1], _key(found), features, positions, mask, call.size("num_heads")
    )
    clash = _agreement(call, found)
    given = call.shape("mask")
    if clash is None and mask is not None and given is not None:
        clash = stretch_clash(mask, _scores_for(given, found, call), given, 3)
    if clash is not None:
        return _refused(call, clash, event)
    width = found.query[2]
    if call.given("output_shape"):
        sizes = call.sizes("output_shape")
        width = Axis(sizes[0] if sizes is not None and len(sizes) == 1 else None)
        if sizes is None or len(sizes) != 1:
            return Outcome(call.unknown().value, event)
    return _attended(call, found, event, width, Axis(call.size("num_heads")))


def _operands(call: Call, *, stretched: bool = False) -> _Operands | Clash | None:
    """The operands with three axes each, or the clash of one that has another number of them.

    None where that is not known, as of a query of two axes that is `stretched` over the batch.
    """
    found: dict[str, tuple[Axis, ...]] = {}
    for operand, name in enumerate(NAMES):
        shape = call.shape(name)
        if not call.given(name) and name == "key":
            found[name] = found["value"]
            continue
        found[name] = (Axis(None),) * 3
        if shape is None:
            continue
        if shape.closed and len(shape.lead) > 3:
            return None
        if stretched and name == "query" and shape.rank != 3:
            return None
        made = rank_demanded(shape, 3, f"takes (B, T, d) for the {name}", call.facts, operand)
        if isinstance(made, Clash):
            return made
        if made is not None and made.lead[0].is_one:
            # It is stretched over the batch of the others.
            return None
        found[name] = found[name] if made is None else made.lead
    return _Operands(found["query"], found["value"], found["key"])


def _key(found: _Operands) -> Axis:
    """The axis of keys, told apart from that of the queries."""
    return tell_apart((found.query[1],), (found.key[1],))[0]


def _agreement(call: Call, found: _Operands) -> Clash | None:
    """Why the operands are not of one batch, or the values not of one length with the keys."""
    pair = contract(found.key[1], found.value[1], call.facts, "key and value")
    if pair.verdict.clashes:
        text = f"weights {pair.right} values by {pair.left} keys"
        return Clash(Fault.AGREEMENT, text, 1, pair.left.size, pair.right.size, pair.verdict)
    for operand, other in ((1, found.value), (2, found.key)):
        pair = contract(found.query[0], other[0], call.facts, "batch")
        if pair.verdict.clashes:
            text = f"pairs a batch of {pair.left} queries with one of {pair.right} in the "
            told = text + NAMES[operand]
            sizes = pair.left.size, pair.right.size
            return Clash(Fault.AGREEMENT, told, operand, *sizes, pair.verdict)
    return None


def _scores_for(mask: Shape, found: _Operands, call: Call) -> Shape:
    """The scores that a mask is put on: of all heads, if it has an axis for them."""
    heads = (Axis(call.size("num_heads")),) if len(mask.lead) > 3 else ()
    return closed((found.query[0], *heads, found.query[1], _key(found)))


def _mask(call: Call, found: _Operands) -> Broadcast | None:
    """The scores against the mask, of which one of four axes has one for the heads."""
    given = call.shape("mask")
    if given is None or not given.closed or len(given.lead) > 4:
        return None
    return broadcast(_scores_for(given, found, call), given, call.facts)


def _attended(call: Call, found: _Operands, event: Attention, width: Axis, *heads: Axis) -> Outcome:
    """The values gathered for each query, with the weights if they are asked for."""
    output = closed((*found.query[:2], width))
    key = replace(event.key, normalised=frozenset({call.serial}))
    rows = without_marks(closed((found.query[0], *heads, found.query[1])))
    weights = closed((*rows.lead, key))
    return Outcome(_result(call, without_marks(output), weights), event)


def _result(call: Call, output: Shape | None, weights: Shape | None) -> Value:
    asked = call.flag("return_attention_scores")
    if asked is None:
        return call.unknown().value
    made = call.make(None if output is None else expand(output, call.facts), "float")
    if not asked:
        return made
    return Sequence((made, call.make(None if weights is None else weights, "float")))


def _refused(call: Call, clash: Clash | None, event: Attention | None = None) -> Outcome:
    return Outcome(_result(call, None, None), event, clash)
