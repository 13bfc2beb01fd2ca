"""Causal masks off by one: a position that does not see itself, or that sees the next one."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import Site
from attncheck.checks.averages import uneven_averages
from attncheck.checks.behind_keys import over_joined_keys
from attncheck.checks.joined_triangles import over_joined_triangles
from attncheck.checks.named_causal import off_by_name
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.checks.weights import moves_of
from attncheck.graph import Operation
from attncheck.meaning.marks import Claim, Kind, Mark
from attncheck.meaning.uses import Use
from attncheck.operators.events import MOVES, Elementwise
from attncheck.rule import Rule
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

RULE = Rule(
    "ATN507",
    "causal-offset",
    "a causal mask that hides the position itself or shows the next one",
    fix="unsafe",
)
#: The settings of library attention that give queries a key beside those of the sequence.
_MORE_KEYS = ("add_bias_kv", "add_zero_attn", "bias_k", "add_zero_attn")
#: Library attention of a sequence over itself, by the name of the mask.
_OWN_MASKS = frozenset({"src_mask", "tgt_mask"})


def check_trace(view: View) -> Iterator[Report]:
    """Report each causal mask of which the first query, or the last but one, proves the mistake."""
    yield from uneven_averages(RULE, view)
    yield from off_by_name(RULE, view)
    yield from over_joined_keys(RULE, view)
    yield from over_joined_triangles(RULE, view)
    for use in view.mask_uses:
        mark = view.meanings.mark(use.tensor)
        claim = None if mark is None else _only_causal(mark)
        if mark is None or claim is None or not claim.reach or use.late:
            continue
        if use.hides(mark.visible) or not use.hides(mark.hidden) or not _over_keys(use, view):
            continue
        if claim.reach < 0 and not claim.sees_itself and _leaves_first_empty(use, view):
            yield _report(use, claim, view, _HIDDEN)
        elif claim.reach > 0 and _is_self_attention(use, view):
            yield _report(use, claim, view, _SHOWN)


def _only_causal(mark: Mark) -> Claim | None:
    """The causal claim of a mark, if there is one only that hides by itself."""
    claims = [claim for claim in mark.claims if claim.kind is Kind.CAUSAL]
    return claims[0] if len(claims) == 1 and not mark.jointly else None


def _over_keys(use: Use, view: View) -> bool:
    """Whether the columns of a mask are keys: softmax normalises the last axis."""
    if use.library:
        return True
    sites = [use.site] if use.site is not None else view.sites
    return bool(sites) and all(_is_last(site, view) for site in sites)


def _is_last(site: Site, view: View) -> bool:
    shape = view.shape(site.scores_in)
    if site.axis is None:
        return False
    rank = None if shape is None else shape.rank
    return site.axis == -1 or (rank is not None and site.axis == rank - 1)


def _leaves_first_empty(use: Use, view: View) -> bool:
    """Whether the first query certainly is left without any key, and nothing makes up for it."""
    if use.library:
        given = {operand.name: operand.value for operand in use.operation.operands}
        return not any(name in given for name in _MORE_KEYS)
    site = use.site
    return site is not None and bool(site.sums) and _is_plain(use, site, view)


def _is_plain(use: Use, site: Site, view: View) -> bool:
    """Whether masked scores go into softmax, and the weights into the sum, with nothing between.

    A row put in by hand, zeros joined on or a second mask would be another way to treat the first.
    """
    if not _leads(use.operation, site.scores_in, view):
        return False
    return all(
        _leads(site.softmax, list(total.operation.tensors())[total.weights][1], view)
        for total in site.sums
    )


def _leads(first: Operation, last: Tensor, view: View) -> bool:
    tensor: Tensor | None = last
    while tensor is not None:
        made = view.graph.maker(tensor)
        if made is first:
            return True
        if made is None or not _is_harmless(made):
            return False
        tensor = next((operand for _, operand in made.tensors()), None)
    return False


def _is_harmless(made: Operation) -> bool:
    event = made.event
    if isinstance(event, Elementwise):
        scaled = event.symbol in ("/", "*") and len(list(made.tensors())) == 1
        return event.symbol == "dropout" or scaled
    return isinstance(event, MOVES) or made.kind == "identity"


# -- self-attention --------------------------------------------------------------------------------


def _is_self_attention(use: Use, view: View) -> bool:
    """Whether queries and keys certainly are positions of one sequence."""
    if use.library:
        if use.operand.name in _OWN_MASKS:
            return True
        given = {operand.name: operand.value for operand in use.operation.operands}
        query, key = (
            as_tensor(given[name]) if name in given else None for name in ("query", "key")
        )
        return query is not None and key is not None and _same_positions(query, key, view)
    product = None if use.site is None else use.site.scores
    return product is not None and _of_one_sequence(product, view)


def _same_positions(query: Tensor, key: Tensor, view: View) -> bool:
    """Whether two tensors are one, or have one axis of positions."""
    if query is key or (query.operation is not None and query.operation == key.operation):
        return True
    axes = []
    for tensor in (query, key):
        shape = view.shape(tensor)
        if shape is None or not shape.closed or len(shape.axes) < 2:
            return False
        axes.append(shape.axes[-2])
    return _one_birth(axes[0].tag, axes[1].tag)


def _one_birth(left: object, right: object) -> bool:
    return left is not None and right is not None and _birth(left) == _birth(right)


def _birth(tag: object) -> tuple[object, object]:
    return getattr(tag, "root", None), getattr(tag, "index", None)


def _of_one_sequence(product: Operation, view: View) -> bool:
    """Whether the last two axes of scores came from one axis of one tensor."""
    moves = moves_of(product)
    output = view.shape(as_tensor(product.output))
    if moves is None or output is None or not output.closed or len(output.axes) < 2:
        return False
    tags = []
    for moved, (_, tensor), place in zip(moves, product.tensors(), (-2, -1), strict=True):
        shape, wanted = view.shape(tensor), len(output.axes) + place
        if shape is None or not shape.closed or wanted not in moved:
            return False
        tags.append(shape.axes[moved.index(wanted)].tag)
    return _one_birth(*tags)


# -- words -----------------------------------------------------------------------------------------

_HIDDEN = (
    "hides each position from itself: query i sees the keys up to i - {}, and the first query sees"
    " none at all"
)
_SHOWN = "shows the next position: query i sees the keys up to i + {}, which it is to predict"


def _report(use: Use, claim: Claim, view: View, words: str) -> Report:
    origin = claim.origin
    here = not origin.elsewhere
    node = origin.node if here else use.operand.node or use.operation.node
    made = as_tensor(origin.output) if here else use.tensor
    message = f"`{view.quote(node)}` {words.format(abs(claim.reach or 0))}"
    if node is not use.operand.node:
        message += f", in `{view.quote(use.operation.node)}`"
    return Report(
        RULE,
        origin if here else use.operation,
        node,
        message,
        None if made is None else Culprit(node, made),
        view.sizes(made),
        "the same shape, with the diagonal visible and nothing above it: key j for query i where"
        " j <= i",
        function=origin.place.function if here else None,
    )
