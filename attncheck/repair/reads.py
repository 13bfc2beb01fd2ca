"""Expressions that read the size of one axis of a tensor: ``x.shape[1]``, ``x.size(1)``."""

from __future__ import annotations

import libcst as cst

from attncheck.checks.view import View
from attncheck.record import record


@record
class Read:
    """An expression that reads the size of one axis: of what, and the number of the axis."""

    subject: cst.BaseExpression
    index: cst.BaseExpression
    #: whether it calls ``size``
    called: bool

    def of_axis(self, axis: int, view: View) -> str:
        """The same of another axis, as it is written."""
        subject = view.source.code(self.subject)
        return f"{subject}.size({axis})" if self.called else f"{subject}.shape[{axis}]"


def read_axis(size: cst.CSTNode) -> Read | None:
    """What ``x.shape[i]`` or ``x.size(i)`` reads, or None for any other expression."""
    if isinstance(size, cst.Subscript) and len(size.slice) == 1:
        part, owner = size.slice[0].slice, size.value
        if isinstance(part, cst.Index) and isinstance(owner, cst.Attribute):
            is_shape = owner.attr.value == "shape"
            return Read(owner.value, part.value, called=False) if is_shape else None
    if isinstance(size, cst.Call) and isinstance(size.func, cst.Attribute) and len(size.args) == 1:
        owner = size.func
        is_size = owner.attr.value == "size"
        return Read(owner.value, size.args[0].value, called=True) if is_size else None
    return None
