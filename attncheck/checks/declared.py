"""What code says it follows: the attention of Bahdanau or of Luong, by the words around it.

The nearest that says anything counts: the function, its class, the file. Who names both papers has
not said which one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.view import View
from attncheck.evidence.papers import Paper, papers_named
from attncheck.record import record

_COMMENT = re.compile(r"#.*")


@record
class Declaration:
    """The paper that code follows, and what says so: a clause."""

    paper: Paper
    clause: str


def declaration(view: View, node: cst.CSTNode) -> Declaration | None:
    """The paper that the code around an expression says it follows; None if it does not say."""
    for text, subject in _said(view, node):
        papers = papers_named(text)
        if len(papers) == 1:
            ((paper, word),) = papers.items()
            return Declaration(paper, f"{subject} says `{word}`")
        if papers:
            return None
    setting = view.evidence.convention
    return None if setting is None else Declaration(setting, f"`convention` is set to `{setting}`")


def _said(view: View, node: cst.CSTNode) -> Iterator[tuple[str, str]]:
    """The names and texts around an expression, the nearest first, each with what it is."""
    scopes = [
        outer
        for outer in view.source.around(node)
        if isinstance(outer, cst.FunctionDef | cst.ClassDef)
    ]
    for scope in reversed(scopes):
        name = scope.name.value
        yield name, f"the name `{name}`"
        yield scope.get_docstring() or "", f"the docstring of `{name}`"
        yield _comments(view, scope), f"a comment in `{name}`"
    yield view.source.module.get_docstring() or "", "the docstring of the file"


def _comments(view: View, scope: cst.CSTNode) -> str:
    span = view.source.span(scope)
    lines = view.source.lines[span.line - 1 : span.end_line]
    return "\n".join(found[0] for line in lines if (found := _COMMENT.search(line)))
