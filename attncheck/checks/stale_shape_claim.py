"""A comment or docstring that says a shape which the code does not give.

A claim is compared with what was traced without it: a rank that differs, a number that differs, or
a name of the dimension table in the place of another one. Names that only the comment has are free.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.facts import Verdict
from attncheck.algebra.shape import Shape
from attncheck.algebra.size import ZERO, Size
from attncheck.checks.report import Culprit, Report, sizes_of, text_of
from attncheck.checks.turned_claims import turned_claim
from attncheck.checks.view import View
from attncheck.evidence.comments import ClaimText
from attncheck.rule import Rule
from attncheck.tracer.machine import ShapeSite
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import as_tensor

RULE = Rule(
    "ATN601",
    "stale-shape-claim",
    "a comment, docstring or annotation the code contradicts",
    fix="unsafe",
)


def check_trace(view: View) -> Iterator[Report]:
    """Report comments on assignments whose shape the traced one contradicts."""
    comments = view.evidence.comments
    if not comments:
        return
    inner = [site for sites in view.traced.inner.values() for site in sites]
    everywhere = [*view.traced.sites, *inner]
    for site in everywhere:
        tensor = as_tensor(site.value)
        if tensor is None or site.name not in view.evidence.commented:
            continue
        # A claim is never weighed against what only names or other claims say.
        if view.graph.maker(tensor) is None or tensor.evidence >= Evidence.PROSE:
            continue
        shape = view.shape(tensor)
        if shape is None or not shape.closed or any(size is None for size in shape.sizes()):
            continue
        if any(size == ZERO for size in shape.sizes()):
            continue  # nothing yet, in the place of what the comment tells
        known = {symbol for size in shape.sizes() if size for symbol in size.symbols()}
        if known & view.evidence.claimed:
            continue
        claim = comments.get(view.line(site.node))
        if claim is None or (claim.subject is not None and claim.subject != site.name):
            continue
        claimed = claim.read(view.evidence.scope.symbol)
        if claimed is None or not claimed.closed or not _contradicts(view, claimed, shape):
            continue
        if claim.subject is None and _fits_another(view, claimed, site, everywhere):
            continue
        yield _report(view, site, tensor, claimed, claim)
    yield from turned_claim(RULE, view)


def _fits_another(view: View, claimed: Shape, site: ShapeSite, sites: list[ShapeSite]) -> bool:
    """Whether a claim is about another one of the names that its line assigns.

    ``output, weights = attend(x)  # (B, T, d)`` says nothing of the weights.
    """
    line = view.line(site.node)
    others = (each for each in sites if each.node is not site.node and view.line(each.node) == line)
    shapes = (view.shape(as_tensor(each.value)) for each in others)
    return any(shape is None or not _contradicts(view, claimed, shape) for shape in shapes)


def _contradicts(view: View, claimed: Shape, traced: Shape) -> bool:
    """Whether no reading of the claim's own names gives the traced shape.

    A claim of several axes may be of the last ones alone, the same in each batch and head:
    ``(T, T)`` of scores. One that speaks of an axis in front of these is none.
    """
    missing = len(traced.axes) - len(claimed.axes)
    if missing < 0 or (missing and len(claimed.axes) < 2):
        return True
    front = {str(axis.size) for axis in traced.axes[:missing]}
    for said, known in zip(claimed.axes, traced.axes[missing:], strict=True):
        if str(said.size) in front - {str(known.size)}:
            return True
        if said.size is None or known.size is None:
            continue
        if not missing and said is claimed.axes[0] and _is_regrouped(said.size, known.size):
            continue
        if view.facts.compare(said.size, known.size) in (Verdict.DIFFERENT, Verdict.DISTINCT):
            return True
    return False


def _is_regrouped(said: Size, known: Size) -> bool:
    """Whether the first axis is called by the name of what was cut up or folded to make it.

    A batch of clips that is no longer one of frames, (B // T, ...), is called B all the same.
    """
    return said.symbol is not None and said.symbol in known.symbols() and known.symbol is None


def _report(
    view: View, site: ShapeSite, tensor: Tensor, claimed: Shape, claim: ClaimText
) -> Report:
    shape = view.shape(tensor)
    said, known = text_of(sizes_of(claimed)), text_of(sizes_of(shape))
    operation = view.graph.maker(tensor)
    assert operation is not None
    return Report(
        RULE,
        operation,
        site.node,
        f"the comment says {said}, but `{site.name}` is {known}",
        Culprit(site.node, tensor),
        sizes_of(shape),
        f"as traced; `{claim.words}` is out of date",
        claim=(claim.shape, known),
        function=site.function,
    )
