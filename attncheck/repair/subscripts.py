"""The subscripts of an einsum, or a pattern, with one letter changed or two exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from attncheck.checks.report import Report
from attncheck.checks.view import View
from attncheck.repair.candidate import Candidate, edit

_LETTERS = re.compile(r"(?s:.)")
_WORDS = re.compile(r"(?s:[A-Za-z]\w*|.)")


def subscripts(report: Report, view: View) -> Iterator[Candidate]:
    """Another letter in one place, or two letters of one operand exchanged.

    Those first that sum no letter which only one operand has: such a sum is a mistake of its own.
    In the patterns of einops words are what letters are elsewhere.
    """
    node = report.node
    arguments = node.args if isinstance(node, cst.Call) else ()
    literals = (each.value for each in arguments if isinstance(each.value, cst.SimpleString))
    literal = next(literals, None)
    if literal is None:
        return
    parts = _WORDS if report.operation.spelling.startswith("einops") else _LETTERS
    tokens = parts.findall(literal.value)
    for written in sorted((*_relettered(tokens), *_exchanged(tokens)), key=_summed_alone):
        text = "".join(written)
        yield edit(literal, text, f"write {text}", safe=False)


def _is_letter(token: str) -> bool:
    return token[0].isalpha()


def _relettered(tokens: list[str]) -> Iterator[list[str]]:
    """Subscripts with one letter of an operand replaced by another that they use."""
    letters = sorted(set(filter(_is_letter, tokens)))
    for i, old in enumerate(tokens[: tokens.index(">") if ">" in tokens else len(tokens)]):
        if _is_letter(old):
            yield from ([*tokens[:i], new, *tokens[i + 1 :]] for new in letters if new != old)


def _exchanged(tokens: list[str]) -> Iterator[list[str]]:
    """Subscripts with two letters of one operand, or of the output, exchanged."""
    for i in range(len(tokens)):
        for j in range(i + 1, len(tokens)):
            if not _is_letter(tokens[j]) and not tokens[j].isspace():
                break
            if _is_letter(tokens[i]) and _is_letter(tokens[j]) and tokens[i] != tokens[j]:
                exchanged = list(tokens)
                exchanged[i], exchanged[j] = tokens[j], tokens[i]
                yield exchanged


def _summed_alone(tokens: list[str]) -> int:
    """How many letters are summed that one operand alone has, or that one has twice."""
    cut = tokens.index(">") if ">" in tokens else len(tokens)
    output = tokens[cut:]
    letters = list(filter(_is_letter, tokens[:cut]))
    twice, seen = 0, set[str]()
    for token in tokens[:cut]:
        if token == ",":
            seen = set()
        elif _is_letter(token):
            twice += token in seen
            seen.add(token)
    return twice + sum(letters.count(each) == 1 and each not in output for each in letters)
