"""Which axes of scores a mask tells apart: of keys, of queries, of the batch."""

from __future__ import annotations

from attncheck.attention import Site, same_axis
from attncheck.checks.entries import Entry
from attncheck.checks.terms import axis_from_end
from attncheck.checks.view import View
from attncheck.values.value import as_tensor


def varies_over_keys(entry: Entry, site: Site, view: View) -> bool | None:
    """Whether a mask differs along the axis that softmax normalises; None if that is not known."""
    place = keys_from_end(entry, site, view)
    mask = view.shape(entry.mask_tensor)
    if place is None or mask is None:
        return None
    axis = axis_from_end(mask, place)
    if axis is None:
        return False if mask.closed else None
    return None if axis.size is None else not axis.is_one


def keys_from_end(entry: Entry, site: Site, view: View) -> int | None:
    """How many axes lie behind the one that softmax normalises, where a mask meets the scores."""
    weights = view.shape(as_tensor(site.softmax.output))
    scores = view.shape(as_tensor(entry.scores.value))
    if site.axis is None or weights is None or scores is None:
        return None
    if not entry.moved and (site.axis < 0 or weights.closed):
        return -1 - site.axis if site.axis < 0 else len(weights.axes) - 1 - site.axis
    if not weights.closed or not scores.closed:
        return None
    if not -len(weights.axes) <= site.axis < len(weights.axes):
        return None
    keys = weights.axes[site.axis]
    found = [place for place, axis in enumerate(scores.axes) if same_axis(axis, keys)]
    return len(scores.axes) - 1 - found[0] if len(found) == 1 else None
