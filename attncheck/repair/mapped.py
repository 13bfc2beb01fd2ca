"""A mapped function whose arguments are mapped over axes that do not agree: other axes for one."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from attncheck.graph import Operation
from attncheck.repair.candidate import Candidate, edit


def other_axes(operation: Operation) -> Iterator[Candidate]:
    """Each number in ``in_axes`` as another one, that of the odd argument first."""
    node = next((each.node for each in operation.operands if each.name == "axes"), None)
    if not isinstance(node, cst.Tuple | cst.List):
        return
    odd = 0 if operation.clash is None else operation.clash.operand
    numbers = [each.value for each in node.elements if isinstance(each.value, cst.Integer)]
    for number in (*numbers[odd : odd + 1], *numbers[:odd], *numbers[odd + 1 :]):
        for axis in ("0", "1", "2"):
            if number.value != axis:
                yield edit(number, axis, f"map axis {axis}")
