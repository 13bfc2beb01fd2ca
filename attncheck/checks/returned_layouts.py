"""Results that a function returns time first, where its docstring says that the batch is first.

``jax.lax.scan`` stacks what its rounds give along a new axis in front, so that the states of a
batch come out as ``(T, B, d)``. A docstring that calls the argument ``(B, T, d)`` and the result
``(B, T, H)`` says what the callers rely on.
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.algebra.shape import Shape
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.evidence.axes import counts
from attncheck.evidence.docstrings import DocClaim
from attncheck.rule import Rule
from attncheck.tracer.machine import ShapeSite
from attncheck.values.value import as_tensor


def returned_otherwise(rule: Rule, view: View) -> Iterator[Report]:
    """A report of `rule` for each result whose batch and time the docstring exchanges."""
    function = view.traced.function
    claims = None if function is None else view.evidence.docstring(function)
    sites = [site for site in view.traced.sites if site.name == "return"]
    if claims is None or not claims.parameters or len(sites) != len(claims.returns):
        return
    given = [_claimed(claim, view) for claim in claims.parameters.values()]
    for site, claim in zip(sites, claims.returns, strict=True):
        claimed = None if claim is None else _claimed(claim, view)
        if claimed is not None and any(_starts_alike(claimed, other) for other in given if other):
            yield from _report(rule, site, claimed, view)


def _claimed(claim: DocClaim, view: View) -> Shape | None:
    shape = claim.read(view.evidence.scope.symbol)
    return shape if shape is not None and shape.closed and len(shape.axes) > 1 else None


def _starts_alike(claimed: Shape, other: Shape) -> bool:
    """Whether an argument is said to start with the same batch and time, one of them each."""
    first = [axis.size for axis in claimed.axes[:2]]
    said = [counts(size) for size in first]
    return first == [axis.size for axis in other.axes[:2]] and sorted(filter(None, said)) == [
        "batch",
        "time",
    ]


def _report(rule: Rule, site: ShapeSite, claimed: Shape, view: View) -> Iterator[Report]:
    tensor = as_tensor(site.value)
    sizes = view.sizes(tensor)
    made = None if tensor is None else view.maker(tensor)
    if tensor is None or made is None or sizes is None or len(sizes) != len(claimed.axes):
        return
    if [*sizes[1::-1]] != [axis.size for axis in claimed.axes[:2]]:
        return
    why = "" if made.kind != "stacked" else " (what a scan gives is stacked in front of the batch)"
    yield Report(
        rule,
        made,
        site.node,
        f"`{view.quote(site.node)}` is returned as {text_of(sizes)}{why}, but the docstring says"
        f" {text_of(claimed.sizes())}: who goes by that takes {sizes[0]} for the batch and"
        f" {sizes[1]} for time, and nothing raises",
        Culprit(site.node, tensor),
        (sizes[1], sizes[0], *sizes[2:]),
        "as the docstring has it, in the order of the argument's own axes",
        function=site.function,
        moved=(0, 1),
    )
