"""What stands in a branch that a flag chooses, of arguments that callers show without that flag.

``block(x, mask=self.mask)`` shows a mask of two axes, and not what it is where ``is_pad_mask`` is
true, which this call leaves out.
"""

from __future__ import annotations

import itertools

import libcst as cst

from attncheck.source import Source
from attncheck.tree.pairs import parts

#: Statements and expressions of which a condition chooses a part.
_CHOICES = (cst.If, cst.IfExp)


def chosen_by_flag(node: cst.CSTNode, source: Source) -> bool:
    """Whether code stands in a branch whose condition asks more than what is None."""
    return any(
        isinstance(outer, _CHOICES) and inner is not outer.test and _asks_more(outer.test)
        for outer, inner in itertools.pairwise(source.around(node))
    )


def _asks_more(test: cst.BaseExpression) -> bool:
    """Whether a condition has a name that it does not compare by ``is`` or ``is not``."""
    compared = {
        name
        for part in parts(test)
        if isinstance(part, cst.Comparison)
        and all(isinstance(each.operator, cst.Is | cst.IsNot) for each in part.comparisons)
        for name in parts(part)
    }
    return any(isinstance(part, cst.Name) and part not in compared for part in parts(test))
