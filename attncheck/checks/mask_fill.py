"""Scores that a mask leaves at 0: softmax gives such a position exp(0) = 1, and not nothing."""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.attention import Site, behind
from attncheck.checks.entries import Entry, entries, masked_again
from attncheck.checks.masks import written_into
from attncheck.checks.reach import varies_over_keys
from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.operators.events import Contraction, Einsum
from attncheck.rule import Rule
from attncheck.values.value import as_tensor

RULE = Rule("ATN504", "mask-fill", "masked scores are 0 or more before softmax", fix="unsafe")

#: What hides a score is below it by more than this; -1e-9 is a slip for -1e9.
_LEAST = -1.0


def check_trace(view: View) -> Iterator[Report]:
    """Report, for each attention site, the masks that do not take a score out."""
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
                yield _report(entry, view, certain=entry.certain and over_keys is True)


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
    return (
        f"puts {entry.number:g} where `{mask}` hides scores: softmax gives each of them"
        f" exp({entry.number:g}), the weight of any score of {entry.number:g}, and not nothing"
    )
