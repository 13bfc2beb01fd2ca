"""A view that moves elements between axes where a transpose was meant."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.dealing import Piece, dealt, stretches
from attncheck.algebra.facts import Verdict
from attncheck.algebra.reshape import Order, reshape
from attncheck.algebra.shape import COPIES, Axis, Shape, closed
from attncheck.algebra.size import ONE, Size
from attncheck.attention import role_behind
from attncheck.checks.own_axis import moves_its_first_axis
from attncheck.checks.report import Culprit, Report, Sizes, sizes_of, text_of
from attncheck.checks.strided_stacks import strided_stacks
from attncheck.checks.view import View
from attncheck.evidence.roles import Role
from attncheck.graph import Operation
from attncheck.operators.events import Einsum, Permutation, Rearranging, Reshaping, Selection
from attncheck.rule import Rule
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import Int, as_tensor

RULE = Rule("ATN303", "reshape-not-transpose", "a view that moves elements between axes")
ON = (Reshaping,)
#: What says itself which axes there are from then on.
_VIEWS = (Reshaping, Rearranging, Einsum)
#: What moves elements, and what leaves them in their order.
_MOVES = (Permutation, Reshaping)
_COPIES = frozenset({"identity", "contiguous"})
#: How many axes more a tensor has that was split into tiles.
_TILED = 3
#: How many axes an image has before it is cut into rows and columns of places, and then.
_GRID = (4, 6)
#: How code reads the sizes of a tensor.
_READING = frozenset({"unpack", "size", "shape"})
#: What repeats elements, or copies them as they lie.
_REPEATING = frozenset({"repeat", "tile", "identity"})
_MOST_STEPS = 4
#: What makes tensors of which the elements come later.
_UNFILLED = ("nn.Parameter", ".empty", ".empty_like", ".new_empty")
#: Operands that only choose among the elements of another.
_MASKS = frozenset({"mask", "condition"})


def check_trace(view: View) -> Iterator[Report]:
    """Report views that put a tensor's own first axis elsewhere, and stacks read by turns."""
    yield from moves_its_first_axis(RULE, view)
    yield from strided_stacks(RULE, view)


def check(operation: Operation, view: View) -> Iterator[Report]:
    """Report a reshape after which an axis stands elsewhere, though only a transpose moves axes."""
    event = operation.event
    tensors = list(operation.tensors())
    if not isinstance(event, Reshaping) or not tensors:
        return
    outcome = event.outcome
    if outcome.order is not Order.SCRAMBLED or outcome.regrouped is None:
        return
    old, new = outcome.regrouped
    if any(axis.size is not None and _shifted(axis.size) for axis in (*old, *new)):
        return
    if _right_for_one(view, old, new):
        return
    if role_behind(view.graph, tensors[0][1]) is Role.PARAMETER:
        return  # training puts into a parameter whatever the view then reads there
    if _is_read_back(operation, view) or _is_undone(operation, view):
        return
    if _is_half_a_shift(operation, view) or any(_repeated(axis) for axis in old):
        return
    if _is_shuffled(operation, view) or _is_grid(view, operation):
        return
    if any(_is_trained(view, part) for axis in old for part in axis.parts):
        return
    if _rests_on_prose(view, tensors[0][1]):
        return  # the order that a docstring lists axes in is the first thing in it to go stale
    if _is_filled_elsewhere(view, next(operation.tensors())[1]) or _is_padded(view, operation):
        return
    moved = _moved(view, old, new)
    operand, tensor = tensors[0]
    shape = view.shape(tensor)
    if moved is None or operand.node is None or shape is None or not shape.closed:
        return  # what has all its axes only on one way through the code is often put back there
    before, after = view.text(tensor), text_of(sizes_of(outcome.shape))
    lie = _pieces(operation, view)
    message = (
        f"`{view.quote(operation.node)}` turns {before} into {after} without moving any element:"
        f" {_orders(lie)}what comes out along {moved} is a mixture of positions"
    )
    yield Report(
        RULE,
        operation,
        operation.node,
        message,
        Culprit(operand.node, tensor),
        _turned(view, tensor, lie) or sizes_of(outcome.shape),
        f"only a transpose moves {moved} to another place; a view splits and merges neighbours",
    )


def _pieces(operation: Operation, view: View) -> tuple[Piece, ...] | None:
    """The pieces that a reshape puts in another order, as they lie; None if none are found."""
    event = operation.event
    shape = view.shape(next(operation.tensors())[1])
    if not isinstance(event, Reshaping) or shape is None or not shape.closed:
        return None
    return dealt(shape.axes, event.outcome.shape.axes, view.facts)


def _orders(lie: tuple[Piece, ...] | None) -> str:
    """In which order the elements lie and in which they are read, where pieces tell."""
    if lie is None:
        return ""
    read = sorted(lie, key=lambda piece: piece.new)
    if read == list(lie):
        return ""  # sizes that were found to be one since
    written = [text_of(tuple(piece.size for piece in order)) for order in (lie, read)]
    return f"they lie as {written[0]} and are read as {written[1]}, so "


def _turned(view: View, tensor: Tensor, lie: tuple[Piece, ...] | None) -> Sizes | None:
    """The tensor's own axes in the order in which they are read; None if one is split for that."""
    sizes = view.sizes(tensor)
    runs = [] if lie is None else stretches(lie)
    if sizes is None or len(runs) != len(sizes):
        return None
    return tuple(sizes[run[0].old] for run in sorted(runs, key=lambda run: run[0].new))


def _is_filled_elsewhere(view: View, tensor: Tensor) -> bool:
    """Whether a tensor is as it was made, and what its elements mean is said elsewhere.

    Training says it of a parameter, and of what was made empty a kernel that is called to fill it.
    Objects are made in a trace of their own, so a parameter has no maker in that of a method.
    """
    made = view.graph.maker(tensor)
    if made is None and view.making is not None:
        made = view.making.graph.maker(tensor)
    return made is not None and made.spelling.endswith(_UNFILLED)


def _is_trained(view: View, part: Axis) -> bool:
    """Whether an axis is one of a parameter, whose elements are what training makes of them."""
    if view.making is None or part.tag is None:
        return False
    return view.making.graph.born(part.tag.root) is not None


def _is_padded(view: View, operation: Operation) -> bool:
    """Whether what is viewed was only just padded.

    Rows that are padded and read in another length are each moved by a place more than the one
    before: that is how scores of relative positions and of bands are shifted.
    """
    made = view.graph.maker(next(operation.tensors())[1])
    return made is not None and made.kind == "pad"


def _rests_on_prose(view: View, tensor: Tensor) -> bool:
    """Whether nothing but prose says which axes a tensor has.

    The code says so too where it reads the sizes, has made a view of its own since, or has given
    each axis a letter.
    """
    if tensor.evidence is not Evidence.PROSE:
        return False
    graph = view.graph
    read = {
        id(whole)
        for operation in graph.operations
        if operation.kind in _READING
        for _, whole in operation.tensors()
    }
    waiting, seen = [tensor], set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in read:
            continue  # the code says itself which axes this one has
        makers = graph.known_makers(each)
        if not makers and each.evidence is Evidence.PROSE:
            return True
        for made in makers:
            if made.number not in seen and not isinstance(made.event, _VIEWS):
                seen.add(made.number)
                waiting += [one for operand, one in made.tensors() if operand.name not in _MASKS]
    return False


def _right_for_one(view: View, old: tuple[Axis, ...], new: tuple[Axis, ...]) -> bool:
    """Whether no element moves as long as the axes that the code has no name for are 1.

    ``b, _, t, _ = kv.shape; kv.view(b, t, -1, d)`` is how one head's keys are cut: what nobody
    names is only merged away, by the ``-1``.
    """
    named = _named_sizes(view)
    nameless = [axis.size for axis in old if _is_nameless(axis) and axis.size not in named]
    if any(_right_for(view, old, new, size) for size in nameless if size is not None):
        return True
    kept = [axis for axis in old if axis.size not in nameless]
    if not nameless or any(axis.size in nameless for axis in new):
        return False
    ones = {size.symbol: ONE for size in nameless if size is not None}
    wanted = [None if axis.size is None else axis.size.replace(ones.get) for axis in new]
    return reshape(closed(kept), wanted, view.facts).order is Order.KEPT


def _right_for(view: View, old: tuple[Axis, ...], new: tuple[Axis, ...], nameless: Size) -> bool:
    """Whether no element moves if a size without a name is one of those that a view asks for.

    ``x.view(batch, length, -1)`` puts an axis of 1 behind an `x` of (batch, length), of which the
    code may have named the batch after another tensor.
    """
    symbol = nameless.symbol
    for asked in new:
        named = None if asked.size is None else asked.size.symbol
        if symbol is None or asked.size is None or named in (None, symbol):
            continue
        given = {symbol: asked.size}
        wanted = [None if axis.size is None else axis.size.replace(given.get) for axis in new]
        kept = [Axis(None if axis.size is None else axis.size.replace(given.get)) for axis in old]
        if ONE in wanted and reshape(Shape(tuple(kept)), wanted, view.facts).order is Order.KEPT:
            return True
    return False


def _named_sizes(view: View) -> set[Size]:
    """The sizes that the code gives a name to: ``b, d, h, w = x.shape``.

    So does what maps a function over an axis, or runs it along one: that holds more than one place.
    """
    named = [site.value for site in view.traced.sites if site.name.strip("_")]
    mapped = (operation for operation in view.graph.operations if operation.kind == "stacked")
    named += [each.value for one in mapped for each in one.operands if each.name == "count"]
    return {each.size for each in named if type(each) is Int and each.size is not None}


def _is_nameless(axis: Axis) -> bool:
    """Whether the size of an axis has no name of its own in the code, or is called ``_``."""
    symbol = None if axis.size is None else axis.size.symbol
    if symbol is None or symbol.found or not symbol.flexible:
        return symbol is not None and symbol.found
    born = axis.tag is not None and symbol.name.startswith(f"{axis.tag.root}_")
    return born or not symbol.name.strip("_")


def _repeated(axis: Axis) -> bool:
    """Whether an axis holds copies: that they are read in another order is ATN307."""
    return any(part.made == COPIES for part in axis.parts)


def _moved(view: View, old: tuple[Axis, ...], new: tuple[Axis, ...]) -> str | None:
    """The size that stands elsewhere in the result, or None if no transpose explains it.

    Either an axis that both sides have whole, or a piece of one.
    """
    for index, axis in enumerate(old):
        for place, other in enumerate(new):
            if axis.size is None or other.size is None or axis.is_one:
                continue
            if view.facts.compare(axis.size, other.size) is Verdict.EQUAL and index != place:
                return str(axis.size)
    found = dealt(old, new, view.facts)
    ordered = sorted(found or (), key=lambda piece: piece.new)
    return next(
        (str(one.size) for one, other in zip(found or (), ordered, strict=True) if one != other),
        None,
    )


def _is_read_back(operation: Operation, view: View) -> bool:
    """Whether all that uses a view repeats its rows, and then reads the axes as they were before.

    Only rows were counted then: ``k.view(b, a, -1).repeat(1, 1, n).view(a, ...)`` of (a, b, c).
    """
    before = view.shape(operation.source)
    viewed = view.shape(as_tensor(operation.output))
    if before is None or not before.closed or not before.axes:
        return False
    if viewed is None or not viewed.closed or not viewed.axes:
        return False
    if view.equal(viewed.axes[0].size, before.axes[0].size):
        return False  # the first axis stays, so that it cannot tell
    waiting, ends = [operation], list[Operation]()
    for _ in range(_MOST_STEPS):
        if not waiting:
            break
        for later in view.graph.users(waiting.pop()):
            if isinstance(later.event, Reshaping):
                ends.append(later)
            elif _is_along_last(later, view):
                waiting.append(later)
            else:
                return False
    shapes = [view.shape(as_tensor(end.output)) for end in ends]
    return bool(shapes) and all(
        shape is not None
        and shape.closed
        and bool(shape.axes)
        and view.equal(shape.axes[0].size, before.axes[0].size)
        for shape in shapes
    )


def _is_undone(operation: Operation, view: View) -> bool:
    """Whether a view puts back what another one has taken apart, with all elements where they were.

    Something happens in between, which keeps the shape and moves no axis: of two views in a row the
    second one undoes nothing.
    """
    wanted = view.shape(as_tensor(operation.output))
    made = view.graph.maker(next(operation.tensors())[1])
    if made is None or made.spelling.endswith((".contiguous", ".view", ".reshape")):
        return False
    for _ in range(_MOST_STEPS):
        if made is None or made.source is None or isinstance(made.event, Permutation):
            return False
        before = view.shape(made.source)
        if isinstance(made.event, Reshaping):
            return _is_same(before, wanted, view)
        if not _is_same(before, view.shape(as_tensor(made.output)), view):
            return False
        made = view.graph.maker(made.source)
    return False


def _is_along_last(operation: Operation, view: View) -> bool:
    """Whether a repetition leaves all axes but the last one as they are."""
    if operation.kind not in _REPEATING:
        return False
    shapes = view.shape(operation.source), view.shape(as_tensor(operation.output))
    old, new = (None if shape is None or not shape.closed else shape.axes for shape in shapes)
    if old is None or new is None or len(old) != len(new):
        return False
    return all(view.equal(a.size, b.size) for a, b in zip(old[:-1], new[:-1], strict=True))


def _is_half_a_shift(operation: Operation, view: View) -> bool:
    """Whether rows are cut from what the view gives, or were cut from what another view gave."""
    _, tensor = next(operation.tensors())
    made = view.graph.maker(tensor)
    if made is not None and _cuts(made, view):
        viewed = view.graph.maker(next(made.tensors())[1])
        # What is viewed may be of unknown shape; then there is nothing to tell of it.
        if viewed is not None and viewed.kind == "reshape":
            return True
    return any(_cuts(later, view) for later in view.graph.users(operation))


def _is_shuffled(operation: Operation, view: View) -> bool:
    """Whether a tensor was split into many axes and is put back into its old shape in new order.

    With nothing done in between that is a shuffle, of what a kernel reads in tiles. Heads, and the
    windows of an image, are fewer.
    """
    wanted, turned = view.shape(as_tensor(operation.output)), False
    made = view.graph.maker(next(operation.tensors())[1])
    while made is not None and (isinstance(made.event, _MOVES) or made.kind in _COPIES):
        source = made.source
        turned |= isinstance(made.event, Permutation)
        if isinstance(made.event, Reshaping) and turned:
            before, after = view.shape(source), made.event.outcome.shape
            tiled = before is not None and len(after.lead) >= len(before.lead) + _TILED
            return tiled and _is_same(before, wanted, view)
        made = None if source is None else view.graph.maker(source)
    return False


def _is_grid(view: View, operation: Operation) -> bool:
    """Whether rows and columns of an image are cut alike: ``(B, C, H // p, p, W // p, p)``.

    A grid takes every so many rows (Tu et al. 2022, "MaxViT", section 3.2), whatever windows they
    were put together from.
    """
    before = view.shape(operation.source)
    after = view.shape(as_tensor(operation.output))
    if before is None or after is None or not before.closed or not after.closed:
        return False
    old, new = before.sizes(), after.sizes()
    if (len(old), len(new)) != _GRID or not all(map(view.equal, old[:2], new[:2])):
        return False
    return view.equal(new[3], new[5])


def _is_same(one: Shape | None, other: Shape | None, view: View) -> bool:
    """Whether two shapes certainly are one."""
    if one is None or other is None or not one.closed or not other.closed:
        return False
    sizes = (one.sizes(), other.sizes())
    return len(sizes[0]) == len(sizes[1]) and all(map(view.equal, *sizes))


def _cuts(operation: Operation, view: View) -> bool:
    """Whether an operation gives a slice of a tensor, all of whose axes are left."""
    if not isinstance(operation.event, Selection):
        return False
    cut, whole = view.shape(as_tensor(operation.output)), view.shape(next(operation.tensors())[1])
    return cut is not None and whole is not None and cut.rank == whole.rank


def _shifted(size: Size) -> bool:
    """Whether a size is another one and a number more or less.

    Padding by one, viewing with the two time axes swapped and cutting the first row is how relative
    positions are shifted (Dai et al. 2019, appendix B): the one reshape that moves elements on
    purpose.
    """
    return () in size.terms and size.number is None
