"""Two statements, one right behind the other, in the other order."""

from __future__ import annotations

import libcst as cst

from attncheck.checks.view import View
from attncheck.finding import Edit, Span


def exchanged_statements(
    earlier: cst.CSTNode, later: cst.CSTNode, view: View
) -> tuple[Edit, str] | None:
    """The edit that exchanges the statements of two expressions, and the lines that it leaves.

    None if they are not neighbours in one block, or take more than a line.
    """
    source = view.source
    ways = source.around(earlier), source.around(later)
    for outer, first, last in zip(ways[0], ways[0][1:], ways[1][1:], strict=False):
        if first is last:
            continue
        body = list(getattr(outer, "body", ()))
        if first not in body or body[body.index(first) + 1 :][:1] != [last]:
            return None
        one, other = source.span(first), source.span(last)
        indent = source.lines[one.line - 1][: one.column - 1]
        codes = [source.code(each).strip() for each in (last, first)]
        if indent.strip() or any("\n" in code for code in codes):
            return None
        whole = Span(one.line, one.column, other.end_line, other.end_column)
        return Edit(whole, f"{codes[0]}\n{indent}{codes[1]}"), "\n".join(codes)
    return None
