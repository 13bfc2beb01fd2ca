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
    """Whether code runs only if a condition says so that asks more than what is None.

    It stands in one of the branches, or behind a branch that has returned.
    """
    around = source.around(node)
    return any(
        (isinstance(outer, _CHOICES) and inner is not outer.test and _asks_more(outer.test))
        or (isinstance(outer, cst.IndentedBlock) and _is_behind_return(outer, inner))
        for outer, inner in itertools.pairwise(around)
    )


def _is_behind_return(block: cst.IndentedBlock, statement: cst.CSTNode) -> bool:
    """Whether a statement before another one of its block returns under such a condition."""
    before = itertools.takewhile(lambda each: each is not statement, block.body)
    return any(
        isinstance(each, cst.If) and _asks_more(each.test) and _ends(each.body) for each in before
    )


def _ends(body: cst.BaseSuite) -> bool:
    """Whether a branch returns at its end; one that raises is a guard."""
    last = body.body[-1] if body.body else None
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) and last.body else None
    return isinstance(small, cst.Return)


def _asks_more(test: cst.BaseExpression) -> bool:
    """Whether a condition has a name that it does not only compare with None."""
    compared = {
        name
        for part in parts(test)
        if isinstance(part, cst.Comparison) and all(map(_is_with_none, part.comparisons))
        for name in parts(part)
    }
    return any(isinstance(part, cst.Name) and part not in compared for part in parts(test))


def _is_with_none(target: cst.ComparisonTarget) -> bool:
    by_identity = isinstance(target.operator, cst.Is | cst.IsNot)
    return by_identity and getattr(target.comparator, "value", "") == "None"
