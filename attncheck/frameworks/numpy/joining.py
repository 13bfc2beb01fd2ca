"""NumPy's joins, splits and paddings."""

from __future__ import annotations

from attncheck.algebra.size import const
from attncheck.frameworks.spelling import Table
from attncheck.operators import joining, padding, splitting
from attncheck.values.value import Int

TABLE = Table("numpy")

# Joining.
_JOIN = "out=None, *, dtype=None, casting=same_kind"
TABLE.add("numpy.concatenate numpy.concat", joining.concatenate, f"arrays:xs, axis=0, {_JOIN}")
TABLE.add("numpy.append", joining.append, "arr:x, values:y, axis=None")
TABLE.add("numpy.stack", joining.stack, f"arrays:xs, axis=0, {_JOIN}")
TABLE.add("numpy.hstack", joining.hstack, "tup:xs, *, dtype=None, casting=same_kind")
TABLE.add("numpy.vstack", joining.vstack, "tup:xs, *, dtype=None, casting=same_kind")
TABLE.add("numpy.dstack", joining.dstack, "tup:xs")
TABLE.add("numpy.column_stack", joining.column_stack, "tup:xs")

# Splitting.
_SECTIONS = "ary:x, indices_or_sections:parts"
TABLE.add("numpy.split", splitting.sections, f"{_SECTIONS}, axis=0")
TABLE.add("numpy.array_split", splitting.array_split, f"{_SECTIONS}, axis=0")
TABLE.add("numpy.hsplit", splitting.hsplit, _SECTIONS)
TABLE.add("numpy.vsplit", splitting.sections, _SECTIONS, axis=Int(const(0)))
TABLE.add("numpy.unstack", splitting.unbind, "x, *, axis=0")

# Padding.
TABLE.add(
    "numpy.pad", padding.pad_axes, "array:x, pad_width:widths, mode=constant, constant_values=0"
)
