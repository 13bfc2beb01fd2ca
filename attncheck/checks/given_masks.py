"""What callers do with a mask, against what a name or a docstring says that it is.

``attend(scores, valid)`` says of its mask that it is true for what may be seen; a caller of the
file that passes ``ids == pad`` shows what it is. ``causal_mask(n + 1)[:-1, 1:]`` is another mask
than the one that its function makes. Words are believed only where no caller contradicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from attncheck.checks import causal_offset, mask_polarity
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.meaning.positions import moved
from attncheck.values.value import as_tensor


def given_otherwise(report: Report, views: Iterable[View]) -> bool:
    """Whether what callers do shows that words misled, and none does what would be wrong.

    `views` are those of all traces: a caller's runs the function with the caller's own masks.
    """
    reader = _READERS.get(report.rule.code)
    if reader is None or not report.worded:
        return False
    shown = [right for view in views for right in reader(report.operation, view)]
    return bool(shown) and all(shown)


def _given(operation: Operation, view: View) -> Iterator[bool]:
    """Whether a mask that a caller gives hides what it says, for each whose meaning is known."""
    for use in view.mask_uses:
        if use.operation.node is not operation.node or not use.operation.place.calls:
            continue
        mark = view.meanings.mark(use.tensor)
        effect = None if mark is None else (use.hides(mark.hidden), use.hides(mark.visible))
        if effect in ((True, False), (False, True)):
            yield effect == (True, False)


def _got(operation: Operation, view: View) -> Iterator[bool]:
    """Whether a caller turns a causal mask that it gets, or cuts another one out, run by run."""
    for made in view.graph.operations:
        if made.node is operation.node and made.place.calls:
            yield any(_is_another(later, view) for later in view.graph.derived(made))


def _is_another(later: Operation, view: View) -> bool:
    """Whether what is moved about is not known to show later positions any more."""
    output = as_tensor(later.output)
    if output is None or moved(later) is None:
        return False
    mark = view.meanings.mark(output)
    claim = None if mark is None else mark.causal()
    return claim is None or claim.reach is None or claim.reach < 1


_READERS = {mask_polarity.RULE.code: _given, causal_offset.RULE.code: _got}
