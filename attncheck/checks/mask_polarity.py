"""Masks used with the opposite meaning: what should be hidden is seen, and the rest is not."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.carried_states import assigned_in, loop_around
from attncheck.checks.dropped_best import over_dropped_best
from attncheck.checks.entries import entries
from attncheck.checks.keras_masks import handed_on
from attncheck.checks.opposed_masks import over_opposed_masks
from attncheck.checks.reach import varies_over_keys
from attncheck.checks.report import Culprit, Report
from attncheck.checks.told_masks import named_otherwise, told_otherwise, used_otherwise
from attncheck.checks.view import View
from attncheck.evidence.identifiers import names_causal
from attncheck.meaning.marks import PARTS, Claim, Kind, Mark
from attncheck.meaning.uses import Use, Way, boolean_uses
from attncheck.operators.events import Attention, Contraction, Einsum, Recurrence
from attncheck.rule import Rule
from attncheck.tree.pairs import names_within

RULE = Rule(
    "ATN502", "mask-polarity", "a mask used with the opposite meaning: what it hides is seen"
)

#: What gives neither scores nor weights, whatever it is given.
_PRODUCTS = (Attention, Contraction, Einsum, Recurrence)


def check_trace(view: View) -> Iterator[Report]:
    """Report each mask that hides what it says is visible, or hides nothing."""
    yield from _of_boolean_words(view)
    for use in view.mask_uses:
        if not use.library and not _are_scores(use, view):
            continue  # nothing is attended to with them: they may be filled on purpose
        mark = view.meanings.mark(use.tensor)
        if mark is None:
            yield from _against_function(use, view)
            yield from over_opposed_masks(RULE, use, view)
            yield from over_dropped_best(RULE, use, view)
        if mark is not None and mark.is_constant and _hides_all_at_first(use, mark, view):
            yield from _nothing_seen(use, view)
        if mark is None or mark.is_constant:
            continue
        if any(claim.kind is Kind.MISSING for claim in mark.claims) and not _is_of_keys(use, view):
            continue  # who asks for what is missing only fills that in
        if use.hides(mark.visible) and not use.hides(mark.hidden):
            named = _rests_on_names(mark, use, view)
            if named is not None:
                yield _report(use, mark, view, named, _reversed(use, mark, view))
        elif use.library and use.way is Way.ADDED and {mark.visible, mark.hidden} == {0, 1}:
            yield _report(use, mark, view, mark.is_named, _added(use, mark, view))


def _is_of_keys(use: Use, view: View) -> bool:
    """Whether a mask certainly tells keys apart."""
    return use.site is not None and any(
        entry.operation is use.operation and varies_over_keys(entry, use.site, view)
        for entry in entries(use.site, view)
    )


def _of_boolean_words(view: View) -> Iterator[Report]:
    """Arguments given to a library's attention of which prose says for what they are true, or 1.

    Floats would be added there: 1 more for what is to be hidden, or seen, hides nothing either.
    """
    for use in boolean_uses(view.graph):
        told = None if use.operation.elsewhere else told_otherwise(use, view)
        if told is not None and {told[0].true, told[0].false} == {0, 1}:
            yield from _against_function(use, view)


def _are_scores(use: Use, view: View) -> bool:
    """Whether what a mask is put on goes on into a softmax, or comes out of one."""
    softmaxes = [site.softmax for site in view.sites]
    numbers = {softmax.number for softmax in softmaxes}
    if use.operation.number in numbers:
        return True
    if any(later.number in numbers for later in view.graph.derived(use.operation, until=_PRODUCTS)):
        return True
    return any(later is use.operation for later in view.graph.derived(*softmaxes, until=_PRODUCTS))


def _against_function(use: Use, view: View) -> Iterator[Report]:
    """An argument that is used the other way round than its function says elsewhere."""
    told = told_otherwise(use, view)
    other = None if told is not None else used_otherwise(use, view)
    worded = other is None
    if told is not None:
        why = f'{told[1].where} says of `{told[0].name}`: "{told[1].words}"'
        what = "what is to be hidden is attended to, and the rest is hidden"
    elif other is not None:
        argument, again = other
        place = view.place(again.operation.node)
        why = (
            f"`{view.quote(again.operation.node)}` ({place}) reads `{argument.name}` the other way"
        )
        what = "one of them hides what is to be seen"
    elif (handed := handed_on(use, view)) is not None:
        why = (
            f"Keras hands the mask of the input on as `{handed.name}` itself, true for the steps"
            " that are real (`mask_zero`, `Masking`)"
        )
        what = "padding is attended to, and what is real is hidden"
    elif (named := named_otherwise(use, view)) is not None:
        why = f"`{named.name}` is true for what may be seen, by its name"
        what = "what may be seen is hidden, and the rest is attended to"
    else:
        return
    hidden, seen = ("true", "false") if use.hides(1) else ("false", "true")
    message = f"`{view.quote(use.operation.node)}` {_deed(use)}, but {why}; {what}"
    wanted = f"{hidden} for what is to be hidden, {seen} for what may be seen"
    yield _made(use, view, message, wanted, named=True, worded=worded)


def _rests_on_names(mark: Mark, use: Use, view: View) -> bool | None:
    """Whether only a name tells that a mask is reversed; None if it may be meant so.

    Attention to later positions only leaves the last one without any. To itself and to later ones
    is how a model reads backwards, unless it is called causal.
    """
    causal = mark.causal()
    if causal is None or len(mark.claims) > 1 or causal.sees_itself:
        return mark.is_named
    names = [use.operation.place.function, causal.origin.place.function, *_written(use, view)]
    return True if any(map(names_causal, names)) else None


def _written(use: Use, view: View) -> Iterator[str]:
    name = view.base_name(use.operand.node) or use.operand.word
    if name:
        yield name


def _hides_all_at_first(use: Use, mark: Mark, view: View) -> bool:
    """Whether a mask that a loop goes on changing hides every position in the loop's first turn."""
    if use.late or use.way not in (Way.DROPS, Way.KEEPS) or use.operand.node is None:
        return False  # what is added may be where a search starts from: ``[0, -1e9, -1e9]``
    if not use.hides(mark.visible):
        return False
    loop = loop_around(view.source.around(use.operand.node))
    names = names_within(use.operand.node)
    return loop is not None and any(name.value in names for name in assigned_in(loop))


def _nothing_seen(use: Use, view: View) -> Iterator[Report]:
    message = (
        f"`{view.quote(use.operation.node)}` {_deed(use)}, and `{view.quote(use.operand.node)}` is"
        " that for every position in the first turn of the loop: nothing is seen, softmax gives NaN"
        " or the same weight to all, and later turns see only what was to be hidden"
    )
    hidden, seen = ("true", "false") if use.hides(1) else ("false", "true")
    wanted = f"{hidden} for what is to be hidden, {seen} for what may be seen"
    yield _made(use, view, message, wanted, named=True)


# -- words -----------------------------------------------------------------------------------------


def _reversed(use: Use, mark: Mark, view: View) -> str:
    """What a reversed mask does now."""
    claim = _telling(mark)
    seen, unseen = PARTS[claim.kind]
    does = f"`{view.quote(use.operation.node)}` {_deed(use)}"
    says = f"`{view.quote(use.operand.node)}` is {_values(use, mark, seen, unseen)}"
    if claim.origin.node is not use.operand.node:
        says += f" (`{view.quote(claim.origin.node)}`)"
    if use.way is Way.FILLED:
        return f"{does}, and {says}: {unseen} is not hidden"
    return f"{does}, and {says}: {unseen} is attended to, and {_are(seen)} hidden"


def _deed(use: Use) -> str:
    """What a use does with its mask, in words."""
    named = use.library and use.way is not Way.ADDED
    return str(use.way.value).replace("it", f"`{use.argument}`" if named else "the mask")


def _values(use: Use, mark: Mark, seen: str, unseen: str) -> str:
    """What a mask is for both kinds of positions, in words."""
    if use.way in (Way.DROPS, Way.KEEPS):
        return f"true for {seen if mark.visible else unseen}"
    return f"{_number(mark.visible)} for {seen} and {_number(mark.hidden)} for {unseen}"


def _are(what: str) -> str:
    return f"{what} are" if what.endswith("s") else f"{what} is"


def _added(use: Use, mark: Mark, view: View) -> str:
    """What a mask of ones and zeros does where a mask of floats is added."""
    seen, unseen = PARTS[_telling(mark).kind]
    one = seen if mark.visible else unseen
    return (
        f"`{view.quote(use.operation.node)}` adds `{view.quote(use.operand.node)}` to the scores,"
        f" because it holds floats: 1 more for {one}, and nothing is hidden"
    )


def _number(value: float) -> str:
    return f"{value + 0:g}"


def _telling(mark: Mark) -> Claim:
    """The claim that a message tells of: the one that rests on no name, else the first."""
    return min(mark.claims, key=lambda claim: claim.named)


def _report(use: Use, mark: Mark, view: View, named: bool, message: str) -> Report:
    seen, unseen = PARTS[_telling(mark).kind]
    wanted = {
        Way.DROPS: f"true for {unseen}, false for {seen}",
        Way.KEEPS: f"true for {seen}, false for {unseen}",
        Way.SUBTRACTED: f"0 for {seen}, a large number for {unseen}",
    }.get(use.way, f"0 for {seen}, a large negative number for {unseen}")
    if use.library and use.way is Way.ADDED:
        wanted = f"booleans, or {wanted}"
    return _made(use, view, message, wanted, named=named)


def _made(
    use: Use, view: View, message: str, wanted: str, *, named: bool, worded: bool = False
) -> Report:
    node = use.operand.node or use.operation.node
    return Report(
        RULE,
        use.operation,
        node,
        message,
        Culprit(node, use.tensor),
        view.sizes(use.tensor),
        f"the same shape, {wanted}",
        named=named,
        worded=worded,
    )
