"""Scores that a mask leaves at 0: softmax gives such a position exp(0) = 1, and not nothing."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import Site, behind
from attncheck.checks.entries import Entry, entries, entry_of, masked_again
from attncheck.checks.masks import are_written, is_mask, written_into
from attncheck.checks.reach import varies_over_keys
from attncheck.checks.report import Culprit, Report
from attncheck.checks.undone_masks import undone_masks
from attncheck.checks.view import View
from attncheck.checks.zeros_win import zeros_win
from attncheck.evidence.identifiers import names_in
from attncheck.operators.events import (
    COPYING,
    MOVES,
    Contraction,
    Creation,
    Einsum,
    Elementwise,
)
from attncheck.rule import Rule
from attncheck.table import Role, role_of
from attncheck.tree.pairs import names_assigned
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor

RULE = Rule("ATN504", "mask-fill", "masked scores are 0 or more before softmax", fix="unsafe")

#: What hides a score is below it by more than this; -1e-9 is a slip for -1e9.
_LEAST = -1.0
#: Numbers closer to 0 than this are told as 0 is.
_NEXT_TO_ZERO = 1e-4


def check_trace(view: View) -> Iterator[Report]:
    """Report, for each attention site, the masks that do not take a score out."""
    yield from _without_effect(view)
    yield from zeros_win(RULE, view)
    yield from undone_masks(RULE, view)
    for site in view.sites:
        if site.axis is None or not (site.sums or site.scores):
            continue
        found = list(entries(site, view))
        if not found or not all(_is_weak(entry) for entry in found):
            continue
        if written_into(site, view) or masked_again(site, view):
            continue
        for entry in found:
            over_keys = varies_over_keys(entry, site, view)
            if over_keys is not False and _is_outside(entry, site, view):
                report = _report(entry, view, certain=entry.certain and over_keys is True)
                report.local = entry.operation.place == site.softmax.place
                yield report


def _without_effect(view: View) -> Iterator[Report]:
    """Masks to be added to scores that are 0 throughout: 0 filled into zeros."""
    for operation in view.graph.operations:
        event = operation.event
        if operation.elsewhere or not isinstance(event, Elementwise):
            continue
        entry = entry_of(operation, view) if event.symbol == "masked_fill" else None
        if entry is None or entry.number != 0 or not _is_called_mask(entry, view):
            continue
        filled = view.meanings.mark_of(entry.scores)
        if filled is None or not filled.is_constant or filled.visible != 0:
            continue
        zeros = as_tensor(entry.scores.value)
        if zeros is None or zeros.dtype == "bool" or _is_computed(zeros, view):
            continue
        if _is_filled_otherwise(entry, zeros, view):
            continue
        yield _nothing(entry, view)


def _is_computed(zeros: Tensor, view: View) -> bool:
    """Whether zeros are what was computed from others, which a table to be filled is not."""
    made = view.graph.maker(zeros)
    while made is not None and (isinstance(made.event, MOVES) or made.kind in COPYING):
        source = made.source
        made = None if source is None else view.graph.maker(source)
    return made is None or not isinstance(made.event, Creation)


def _is_filled_otherwise(entry: Entry, zeros: Tensor, view: View) -> bool:
    """Whether other values get into what is filled: by index, or by fills that follow.

    A table of kinds is made so, kind after kind; the first may well be 0.
    """
    names = {view.base_name(entry.scores.node) or ""}
    for made in behind(view.graph, zeros):
        if isinstance(made.event, Creation) and made.statement is not None:
            names |= names_assigned(made.statement)
    if are_written(names, view):
        return True
    users = (entry_of(later, view) for later in view.graph.users(entry.operation))
    return any(each is not None and each.how in ("fill", "choice") for each in users)


def _is_called_mask(entry: Entry, view: View) -> bool:
    """Whether what says where to fill is a mask by its name, or by what it holds."""
    named = any(role_of(name) is Role.MASK for name in names_in(entry.mask.node))
    return named or is_mask(view.graph, entry.mask_tensor)


def _is_weak(entry: Entry) -> bool:
    """Whether a mask leaves hidden scores where softmax still gives them weight."""
    if not entry.plain or entry.operation.elsewhere:
        return False
    if entry.how in ("fill", "choice"):
        return entry.number is not None and entry.number > _LEAST
    return entry.how == "product"


def _is_outside(entry: Entry, site: Site, view: View) -> bool:
    """Whether a mask was not found by looking at the scores (their NaNs, their largest ones)."""
    own: set[int | None] = {site.softmax.number, *site.scores_in.made_by}
    if site.scores is not None:
        own.add(site.scores.number)
    scores = as_tensor(entry.scores.value)
    if scores is not None:
        own |= {made.number for made in behind(view.graph, scores, (Contraction, Einsum))}
    return not any(operation.number in own for operation in behind(view.graph, entry.mask_tensor))


# -- words ----------------------------------------------------------------------------------------


def _report(entry: Entry, view: View, *, certain: bool) -> Report:
    operation = entry.operation
    output = as_tensor(operation.output)
    assert output is not None
    return Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` {_words(entry, view)}",
        Culprit(operation.node, output),
        view.sizes(output),
        "the same shape, with hidden scores far below all others (-inf, or -1e9), so that softmax"
        " gives them no weight",
        named=not certain,
    )


def _nothing(entry: Entry, view: View) -> Report:
    operation = entry.operation
    output = as_tensor(operation.output)
    assert output is not None
    return Report(
        RULE,
        operation,
        operation.node,
        f"`{view.quote(operation.node)}` fills 0 into zeros: whatever"
        f" `{view.quote(entry.mask.node)}` says, 0 is added to every score, and no position is"
        " hidden",
        Culprit(operation.node, output),
        view.sizes(output),
        "the same shape, 0 for what may be seen and far below 0 (-inf, or -1e9) for what may not",
        local=True,
    )


def _words(entry: Entry, view: View) -> str:
    mask = view.quote(entry.mask.node)
    if entry.how == "product":
        return (
            f"makes the scores that `{mask}` hides 0 before softmax, which gives each of them"
            " exp(0) = 1, the weight of a score of 0: they keep a share of the weight, and a larger"
            " one the more of them there are"
        )
    assert entry.number is not None
    if entry.number > 1:
        return (
            f"puts {entry.number:g} where `{mask}` hides scores: softmax gives these positions all"
            " of the weight"
        )
    if entry.put is not None and 0 < abs(entry.number) < _NEXT_TO_ZERO:
        return (
            f"puts `{view.quote(entry.put.node)}`, a number next to 0, where `{mask}` hides scores:"
            " softmax gives each of them exp(0) = 1, the weight of any score of 0, and not nothing"
        )
    return (
        f"puts {entry.number:g} where `{mask}` hides scores: softmax gives each of them"
        f" exp({entry.number:g}), the weight of any score of {entry.number:g}, and not nothing"
    )
