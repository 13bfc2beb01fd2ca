"""Multi-head attention as one layer, and as the function behind it.

Rules: torch.nn.MultiheadAttention, "Shape". Here E is the width of the queries and of the output,
L the number of queries, S that of keys.
"""

from __future__ import annotations

from attncheck.algebra.broadcast import broadcast
from attncheck.algebra.contract import Contracted, contract, tell_apart
from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Axis, Row, Shape, closed, expand
from attncheck.algebra.size import Size, const
from attncheck.operators.axes import append, least_rank, split_trailing, with_rank
from attncheck.operators.call import Call
from attncheck.operators.demands import demand, rank_demanded, shared_rank, times
from attncheck.operators.elementwise import without_marks
from attncheck.operators.events import Attention, Clash, Fault, Outcome
from attncheck.operators.features import size_clash
from attncheck.operators.operands import operand_shape
from attncheck.operators.seats import resized
from attncheck.record import record, replace
from attncheck.values.value import NONE, Const, Sequence, Value


@record
class Block:
    """One multi-head attention of a call: its sizes, and the names of its arguments.

    ``widths`` are the features of query, key and value; ``operands`` their names, which may be one.
    """

    widths: tuple[Size | None, Size | None, Size | None]
    heads: Size | None
    batch_first: bool | None
    operands: tuple[str, str, str] = ("query", "key", "value")
    mask: str = "attn_mask"
    padding: str = "key_padding_mask"
    causal: str = "is_causal"


@record
class Attended:
    """What an attention found out: the query's axes before its features, and those of the scores.

    ``batch`` is None without a batch axis; all three are None where the rank is not known.
    """

    rows: Shape
    batch: Axis | None = None
    query: Axis | None = None
    key: Axis | None = None
    event: Attention | None = None


def attend(call: Call, block: Block) -> Attended | Clash:
    """Check the operands and the masks of an attention against each other.

    Queries ``(L, B, E)``, or ``(B, L, E)`` batch first, keys ``(S, B, kdim)`` and values
    ``(S, B, vdim)``; or all of them without B.
    """
    heads, width = block.heads, block.widths[0]
    if heads is not None and width is not None:
        if call.facts.divisible(width, heads) is Verdict.DIFFERENT:
            text = f"splits {width} features among {heads} heads"
            return Clash(Fault.SPLIT, text, 0, width, heads)
        call.facts.divides(heads, width, "split among heads")
    padding = call.shape(block.padding)
    if padding is not None and least_rank(padding) > 2:
        return Clash(Fault.RANK, f"takes {block.padding} of (B, S) or (S,), not {padding}", 4)
    shapes = [operand_shape(call, name) for name in block.operands]
    rank = shared_rank(shapes, 3)
    if rank is None and padding is not None and padding.closed:
        rank = len(padding.lead) + 1  # it has every axis but the features
    return _of_open_rank(call, block, shapes) if rank is None else _of_rank(call, block, rank)


def _of_open_rank(call: Call, block: Block, shapes: list[Shape | None]) -> Attended | Clash:
    """Only the features can be checked where nothing says whether there is a batch axis."""
    rows = None
    for operand, shape in enumerate(shapes):
        taken = None if shape is None else split_trailing(shape, 1, call.facts)
        if taken is None:
            continue
        clash = _width_clash(call, block, operand, taken[1][0])
        if clash is not None:
            return clash
        rows = taken[0] if operand == 0 else rows
    return Attended(Shape((), Row("query", born=False)) if rows is None else rows)


def _width_clash(call: Call, block: Block, operand: int, axis: Axis) -> Clash | None:
    noun = f"features in {block.operands[operand]}"
    return size_clash(axis, block.widths[operand], call.facts, noun, operand)


def _of_rank(call: Call, block: Block, rank: int) -> Attended | Clash:
    """An attention over operands of 2 or of 3 axes."""
    found: list[tuple[Axis, ...]] = []
    for operand, name in enumerate(block.operands):
        shape = operand_shape(call, name)
        width = Axis(block.widths[operand])
        axes = (Axis(None),) * rank
        if shape is not None:
            letters = ("B, T" if block.batch_first else "T, B") if rank == 3 else "T"
            text = f"takes {name} of ({letters}, {width})"
            known = rank_demanded(shape, rank, text, call.facts, operand)
            if isinstance(known, Clash):
                return known
            axes = axes if known is None else known.lead
        clash = _width_clash(call, block, operand, axes[-1])
        if clash is not None:
            return clash
        found.append(axes)
    return _agree(call, block, found)


def _agree(call: Call, block: Block, found: list[tuple[Axis, ...]]) -> Attended | Clash:
    """The attention of operands whose features fit: their batches, positions and masks."""
    batched = len(found[0]) == 3
    time = _time_axis(batched, block.batch_first)
    positions = [Axis(None) if time is None else axes[time] for axes in found]
    batch = None
    if batched:
        batches = [Axis(None) if time is None else axes[1 - time] for axes in found]
        batch = batches[0]
        for operand in (1, 2):
            pair = contract(batch, batches[operand], call.facts, "batch")
            if pair.verdict.clashes:
                names = block.operands[0], block.operands[operand]
                text = f"pairs a batch of {pair.left} in {names[0]} with one of {pair.right} in"
                told = f"{text} {names[1]}"
                sizes = pair.left.size, pair.right.size
                return Clash(Fault.AGREEMENT, told, operand, *sizes, pair.verdict)
    pair = contract(positions[1], positions[2], call.facts, "key and value")
    if pair.verdict.clashes:
        text = f"weights {pair.right} values by {pair.left} keys"
        sizes = pair.left.size, pair.right.size
        return Clash(Fault.AGREEMENT, text, 2, *sizes, pair.verdict)
    return _masked(call, block, closed(found[0][:-1]), batch, (positions[0], pair))


def _time_axis(batched: bool, batch_first: bool | None) -> int | None:
    if not batched:
        return 0
    return None if batch_first is None else int(batch_first)


def _masked(
    call: Call, block: Block, rows: Shape, batch: Axis | None, axes: tuple[Axis, Contracted]
) -> Attended | Clash:
    query, positions = axes
    key = tell_apart((query,), (positions.left,))[0]
    width = Axis(block.widths[0])
    scores = (query, key)
    clash = None
    if not call.given(block.causal) or call.flag(block.causal) is False:
        clash = _mask_clash(call, block, batch, scores)
    if clash is None:
        wanted = (key,) if batch is None else (batch, key)
        shape = call.shape(block.padding)
        clash = demand(call, shape, wanted, block.padding, 4, tuple(range(len(wanted))))
    if clash is not None:
        return clash
    mask = call.shape(block.mask)
    made = None if mask is None else broadcast(closed(scores), mask, call.facts)
    features = Contracted(width, width, Verdict.EQUAL)
    event = Attention(query, key, features, positions, made, block.heads)
    return Attended(rows, batch, query, key, event)


def _mask_clash(
    call: Call, block: Block, batch: Axis | None, scores: tuple[Axis, Axis]
) -> Clash | None:
    """Why the mask is neither ``(L, S)`` nor ``(B*heads, L, S)``, or None."""
    shape, what = call.shape(block.mask), block.mask
    if shape is None:
        return None
    copies = _copies(block, batch)
    if shape.closed and len(shape.lead) not in (2, 3):
        text = f"takes {what} of {closed(scores)} or {closed((copies, *scores))}, not {shape}"
        return Clash(Fault.RANK, text, 3)
    if not shape.closed and least_rank(shape) < 3:
        return None
    wanted = scores if shape.rank == 2 else (copies, *scores)
    return demand(call, shape, wanted, what, 3, tuple(range(len(wanted))))


def _copies(block: Block, batch: Axis | None) -> Axis:
    """The axis of a mask that has one matrix for each head of each sequence."""
    if batch is None:
        return Axis(block.heads)
    return Axis(times(batch.size, block.heads))


# -- operators -------------------------------------------------------------------------------------


def multihead_attention(call: Call) -> Outcome:
    """nn.MultiheadAttention: ``(output, weights)``, the output of the query's axes.

    The weights are ``(B, L, S)``, or ``(B, heads, L, S)`` where they are not averaged, and None
    where they are not needed. A learned key or one of zeros (``add_bias_kv``, ``add_zero_attn``)
    is one key more each.
    """
    width = call.size("embed_dim")
    key, value = (call.size(name) if call.given(name) else width for name in ("kdim", "vdim"))
    block = Block((width, key, value), call.size("num_heads"), call.flag("batch_first"))
    return _outcome(call, block, Axis(width))


def multihead_function(call: Call) -> Outcome:
    """F.multi_head_attention_forward: the same, time first, of weights that the call brings.

    ``in_proj`` is ``(3*E, E)`` unless the projections are separate; ``out_proj`` is ``(out, E)``.
    """
    if call.given("static_k") or call.given("static_v"):
        return call.unknown()
    width, separate = call.size("embed_dim"), call.flag("separate")
    sizes = [_last_size(call, name) if separate else width for name in ("key_proj", "value_proj")]
    if separate is None:
        sizes = [None, None]
    block = Block((width, sizes[0], sizes[1]), call.size("num_heads"), batch_first=False)
    added = {"add_bias_kv": Const(call.given("bias_k"))}
    arguments = {**call.arguments, **added}
    call = Call(call.facts, arguments, call.library, call.spelling, call.serial)
    clash = None
    if separate is False:
        wanted = Axis(times(width, const(3))), Axis(width)
        clash = demand(call, call.shape("in_proj"), wanted, "in_proj_weight", 3)
    made = call.shape("out_proj")
    known = None if made is None else with_rank(made, 2, call.facts)
    output = Axis(known.lead[0].size if isinstance(known, Shape) else None)
    clash = clash or demand(call, made, (output, Axis(width)), "out_proj_weight", 5)
    return _outcome(call, block, output, clash)


def _last_size(call: Call, name: str) -> Size | None:
    shape = call.shape(name)
    return shape.lead[-1].size if shape is not None and shape.rank == 2 else None


def _outcome(call: Call, block: Block, output: Axis, clash: Clash | None = None) -> Outcome:
    found = attend(call, block) if clash is None else clash
    if isinstance(found, Clash):
        nothing = NONE if call.flag("need_weights", True) is False else call.make(None, "float")
        return Outcome(Sequence((call.make(None, "float"), nothing)), None, found)
    rows = without_marks(found.rows)
    made = call.make(expand(append(rows, (output,)), call.facts), "float")
    return Outcome(Sequence((made, _weights(call, block, found))), found.event)


def _weights(call: Call, block: Block, found: Attended) -> Value:
    needed, averaged = call.flag("need_weights", True), call.flag("averaged", True)
    if needed is False:
        return NONE
    shape = None
    if found.query is not None and found.key is not None and averaged is not None:
        key = replace(_with_added(call, found.key), normalised=frozenset({call.serial}))
        heads = () if averaged else (Axis(block.heads),)
        batch = () if found.batch is None else (found.batch,)
        query = without_marks(closed((*batch, *heads, found.query)))
        shape = expand(append(query, (key,)), call.facts)
    weights = call.make(shape, "float")
    return weights if needed else replace(weights, optional=True)


def _with_added(call: Call, key: Axis) -> Axis:
    """The key axis with the keys that the layer adds."""
    added = 0
    for name in ("add_bias_kv", "add_zero_attn"):
        flag = call.flag(name)
        if flag is None:
            return resized(key, None, call.facts)
        added += flag
    return key if key.size is None else resized(key, key.size + added, call.facts)
