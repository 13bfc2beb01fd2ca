"""A bias that is added to the weights, where it belongs to the scores.

``softmax(q @ k.T) + bias`` sums to one no more; a bias of positions is added before softmax (Shaw
et al. 2018, equation 4; Raffel et al. 2020, section 2.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.operators.events import Contraction, Einsum, Elementwise, Reduction, Softmax
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tree.pairs import names_within
from attncheck.values.value import as_tensor


@record
class Biased:
    """Weights that a bias is added to, and what they are summed by."""

    operation: Operation
    weights: Operand
    bias: Operand


def biased_weights(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each sum of weights and what is called a bias, that goes into the sum."""
    for found in view.once(biased):
        output = as_tensor(found.operation.output)
        assert output is not None
        weights, bias = (view.quote(each.node) for each in (found.weights, found.bias))
        yield Report(
            rule,
            found.operation,
            found.operation.node,
            f"`{view.quote(found.operation.node)}` adds `{bias}` to the weights after softmax: they"
            " sum to one no more, and may be negative; a bias of the scores is added before",
            Culprit(found.operation.node, output),
            view.sizes(output),
            f"weights that sum to one: softmax of the scores with `{bias}` added, not `{weights}`"
            " with it",
            named=True,
        )


def biased(view: View) -> list[Biased]:
    """The sums of weights and a bias in a trace."""
    found: list[Biased] = []
    for site in view.sites:
        weights = as_tensor(site.softmax.output)
        if weights is None:
            continue
        for made in view.graph.after(site.softmax):
            event, pair = made.event, list(made.tensors())
            if not isinstance(event, Elementwise) or event.symbol != "+" or len(pair) != 2:
                continue
            used = [index for index, (_, tensor) in enumerate(pair) if tensor is weights]
            if len(used) != 1 or made.elsewhere or not _is_summed(made, view):
                continue
            bias = pair[1 - used[0]][0]
            if _is_bias(bias):
                found.append(Biased(made, pair[used[0]][0], bias))
    return found


def _is_bias(operand: Operand) -> bool:
    """Whether an operand is called a bias: ``rel_bias``, ``self.position_bias(n)``."""
    return operand.node is not None and any(
        "bias" in name.lower() for name in names_within(operand.node)
    )


def _is_summed(made: Operation, view: View) -> bool:
    """Whether what an operation gives goes into a product."""
    uses = view.graph.derived(made, until=(Contraction, Einsum, Softmax, Reduction))
    return any(isinstance(use.event, Contraction | Einsum) for use in uses)
