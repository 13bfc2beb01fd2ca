"""Contradictions that stay, however many axes the arguments of a function have.

Names and prose say how many axes an argument has, and may be wrong. Where a function cannot work
with so many of them, and neither with more or less, it is not they that are wrong.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final

from attncheck.attention import behind
from attncheck.graph import Operation
from attncheck.suppose import parameter_names
from attncheck.tracer.terms import Terms
from attncheck.tracer.trace import Traced, Tracer
from attncheck.values.tensor import Evidence, Tensor
from attncheck.values.value import Function, as_tensor, expanded

#: Arguments whose numbers of axes are tried: with more there are too many ways.
_MOST: Final = 2
#: The numbers of axes that are tried: of one argument, of each of two.
_RANKS: Final = {1: (1, 2, 3, 4, 5, 6), 2: (1, 2, 3, 4, 5)}


def fails_anyhow(
    tracer: Tracer,
    function: Function,
    traced: Traced,
    operation: Operation,
    contradictions: Callable[[Traced], int],
) -> bool:
    """Whether a contradiction of a trace does not depend on what weak evidence says of ranks.

    Only the arguments are tried that lead to it, with any sizes. If nothing is known of those the
    function has to be free of contradictions: what else is wrong would be taken for theirs.
    """
    if operation.clash is None or operation.clash.left is None:
        return False  # it names another number of axes itself
    ranks = _weak_ranks(function, traced, operation)
    if not 0 < len(ranks) <= _MOST:
        return False
    named = traced.terms.conventional

    def run(of: tuple[tuple[str, int | None], ...]) -> Traced:
        return tracer.run_function(function, Terms(named, ranks=of))

    if contradictions(run(tuple((name, None) for name in ranks))):
        return False
    for tried in itertools.product(_RANKS[len(ranks)], repeat=len(ranks)):
        other = run(tuple(zip(ranks, tried, strict=True)))
        if not other.complete or not contradictions(other):
            return False
    return True


def _weak_ranks(function: Function, traced: Traced, operation: Operation) -> dict[str, int]:
    """The number of axes of each argument behind an operation of which only words say that."""
    found: dict[str, int] = {}
    parameters = set(parameter_names(function))
    made: set[Tensor] = {tensor for _, tensor in operation.tensors()}
    for each in (each for tensor in list(made) for each in behind(traced.graph, tensor)):
        made.update(tensor for _, tensor in each.tensors())
    for site in traced.sites:
        tensor, shape = as_tensor(site.value), expanded(site.value, traced.facts)
        if tensor is None or shape is None or tensor.evidence < Evidence.PROSE:
            continue
        if site.name in parameters and tensor in made and shape.rank is not None:
            found.setdefault(site.name, shape.rank)
    return found
