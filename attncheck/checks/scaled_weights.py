"""Weights that are scaled, where the scores are meant to be: ``softmax(q @ k.T) / sqrt(d_k)``."""

from __future__ import annotations

from attncheck.attention import Site
from attncheck.checks.scales import Factor, graphs_of, powers_of
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise
from attncheck.values.tensor import Tensor
from attncheck.values.value import as_tensor


def scaled_weights(site: Site, view: View) -> Factor | None:
    """The number that the weights of a site are multiplied with or divided by, if that is known."""
    weights = as_tensor(site.softmax.output)
    for made in view.graph.after(site.softmax):
        if made.elsewhere or weights is None:
            continue
        event = made.event
        tensors = [tensor for _, tensor in made.tensors()]
        if not isinstance(event, Elementwise) or not any(each is weights for each in tensors):
            continue
        if made.kind == "dropout":
            weights = as_tensor(made.output)
        elif event.symbol in ("*", "/"):
            factor = _factor(made, event.symbol, weights, view)
            if factor is not None:
                return factor
    return None


def _factor(made: Operation, symbol: str, weights: Tensor, view: View) -> Factor | None:
    for operand in made.operands:
        if as_tensor(operand.value) is weights or operand.name not in ("x", "y"):
            continue
        if symbol == "/" and operand.name == "x":
            continue
        powers = powers_of(graphs_of(view), operand.value)
        applied = powers if powers is None or symbol == "*" else powers.to(-1.0)
        if applied is not None and applied.factors:
            return Factor(made, applied, operand)
    return None
