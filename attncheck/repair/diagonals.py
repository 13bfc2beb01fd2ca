"""A letter of its own for one of two axes that share one in an operand of an einsum."""

from __future__ import annotations

import string
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.diagonals import Diagonal, diagonal
from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, Change
from attncheck.repair.tokens import literal_of, places, tokens_of

_WORDS = "give each axis of the weight a letter of its own"


def parted(report: Report, view: View) -> Iterator[Candidate]:
    """Subscripts in which the second axis meets another operand, or is an axis of the result.

    Where a line has several such products they are written anew together.
    """
    line, seen = view.line(report.node), set[cst.CSTNode]()
    changes: list[Change] = []
    for operation in view.graph.operations:
        found = view.remembered(diagonal, operation)
        if found is None or operation.node in seen or operation.elsewhere:
            continue
        literal = literal_of(operation.node)
        if view.line(operation.node) != line or literal is None:
            continue
        seen.add(operation.node)
        text = _written(tokens_of(literal, operation), found)
        if text is None:
            return
        changes.append(Change(literal, text))
    if changes:
        yield Candidate(tuple(changes), _WORDS, safe=False)


def _written(tokens: list[str], found: Diagonal) -> str | None:
    """Subscripts with a new letter in the second of both places, and where that axis goes on.

    Between two operands that have the letter too it goes on in the second of them, else in the
    result, which must have had the letter then.
    """
    if ">" not in tokens:
        return None
    operands = places(tokens)
    own = [place for place in operands[found.operand] if tokens[place] == found.letter]
    beside = [
        place
        for number, operand in enumerate(operands)
        for place in operand
        if number != found.operand and tokens[place] == found.letter
    ]
    result = [
        place for place in range(tokens.index(">"), len(tokens)) if tokens[place] == found.letter
    ]
    new = _fresh(tokens, found.letter)
    follows = result or (beside[-1:] if len(beside) > 1 else [])
    if len(own) != 2 or len(follows) != 1 or new is None:
        return None
    for place in (own[-1], *follows):
        tokens[place] = new
    return "".join(tokens)


def _fresh(tokens: list[str], letter: str) -> str | None:
    """The next letter that nothing is called by; of a word, the word with a number."""
    if len(letter) > 1:
        return f"{letter}_2" if f"{letter}_2" not in tokens else None
    letters = string.ascii_lowercase if letter.islower() else string.ascii_uppercase
    start = letters.index(letter) + 1
    listed = letters[start:] + letters[:start]
    return next((each for each in listed if each not in tokens), None)
