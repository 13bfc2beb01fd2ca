"""Views of tensors of unknown shape that put a tensor's own first axis second.

``k.view(bsz * num_heads, k.shape[0], head_dim)`` reads as the second axis what lies first: whatever
else the tensor has, only a transpose moves it there.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Culprit, Report
from attncheck.checks.view import View
from attncheck.graph import Operation
from attncheck.rule import Rule

_VIEWS = frozenset({"view", "reshape"})
#: With fewer sizes the tensor may have had one axis only.
_LEAST_SIZES = 3


def moves_its_first_axis(rule: Rule, view: View) -> Iterator[Report]:
    """A report for each view whose second size is the tensor's own first one."""
    for operation in view.graph.operations:
        if operation.kind == "reshape" and operation.event is None and not operation.elsewhere:
            yield from _report(rule, operation, view)


def _report(rule: Rule, operation: Operation, view: View) -> Iterator[Report]:
    call, tensor = operation.node, operation.source
    if type(call) is not cst.Call or type(call.func) is not cst.Attribute or tensor is None:
        return
    sizes = [argument for argument in call.args if argument.keyword is None and not argument.star]
    base = call.func.value
    if call.func.attr.value not in _VIEWS or type(base) is not cst.Name:
        return
    if len(sizes) != len(call.args) or len(sizes) < _LEAST_SIZES:
        return
    first, second = (view.code(size.value) for size in sizes[:2])
    own = (f"{base.value}.shape[0]", f"{base.value}.size(0)")
    if second not in own or first in ("1", "-1") or f"{base.value}." in first:
        return
    yield Report(
        rule,
        operation,
        call,
        f"`{view.quote(call)}` reads {second}, the first axis of `{base.value}`, as the second one"
        f" without moving any element: what comes out along it is a mixture, unless {first} is 1",
        Culprit(base, tensor),
        None,
        f"only a transpose moves {second} to another place; a view splits and merges neighbours",
        named=True,
    )
