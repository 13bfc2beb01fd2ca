"""Two layers of a class that are given each other's inputs, as the names of their widths say.

``W_enc = nn.Linear(enc_dim, d)`` is given what the docstring calls (B, dec_dim), and ``W_dec``,
made for ``dec_dim``, what it calls (B, T, enc_dim). It runs while both widths are one number.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.algebra.size import Size
from attncheck.checks.constructed import layer_of, settings
from attncheck.checks.report import Culprit, Report, text_of
from attncheck.checks.view import View
from attncheck.graph import Operand, Operation
from attncheck.record import record
from attncheck.rule import Rule
from attncheck.tree.pairs import parameter_names
from attncheck.values.tensor import Tensor

_WIDTHS = frozenset({"in_features"})


@record
class Met:
    """A layer's call: what it is given, the name of its width, and that of what it was made for."""

    operation: Operation
    operand: Operand
    tensor: Tensor
    given: Size
    wanted: Size

    @property
    def layer(self) -> cst.BaseExpression | None:
        """The expression that names the layer: ``self.W_enc``."""
        node = self.operation.node
        return node.func if isinstance(node, cst.Call) else None


def crossed_widths(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each pair of layers that are given each other's inputs."""
    for one, other in view.once(crossed):
        first, second = (view.quote(each.layer) for each in (one, other))
        yield Report(
            rule,
            one.operation,
            one.operation.node,
            f"`{first}` is made for {one.wanted} features and given {one.given}: `{second}`, in"
            f" line {view.line(other.operation.node)}, is made for {other.wanted} and given"
            f" {other.given}",
            Culprit(one.operand.node or one.operation.node, one.tensor),
            None,
            f"what is {text_of((one.given,)).strip('(),')} wide given to `{second}`, and the other"
            f" to `{first}`",
            hidden=f"hidden while {one.wanted} == {other.wanted}",
            named=True,
        )


def crossed(view: View) -> list[tuple[Met, Met]]:
    """The pairs of layers of a trace that are made for each other's inputs."""
    owner = view.traced.function.owner if view.traced.function is not None else None
    maker = None if owner is None else owner.lookup("__init__")
    node = getattr(maker, "node", None)
    names = set(parameter_names(node)) if isinstance(node, cst.FunctionDef) else set[str]()
    met = list(_meetings(view, names))
    return [
        (one, other)
        for index, one in enumerate(met)
        for other in met[index + 1 :]
        if (str(one.given), str(one.wanted)) == (str(other.wanted), str(other.given))
        and one.layer is not None
        and other.layer is not None
    ]


def _meetings(view: View, names: set[str]) -> Iterator[Met]:
    """The layers that are given what another argument of the constructor is the width of."""
    for operation in view.graph.operations:
        if operation.elsewhere or operation.place.calls or layer_of(operation) is None:
            continue
        wanted = [size for operand, size in settings(operation) if operand.name in _WIDTHS]
        for operand, tensor in operation.tensors():
            shape = tensor.shape
            size = shape.tail[-1].size if shape is not None and shape.tail else None
            if operand.name != "x" or size is None or len(wanted) != 1:
                continue
            named = {str(size), str(wanted[0])}
            if len(named) == 2 and named <= names:
                yield Met(operation, operand, tensor, size, wanted[0])
