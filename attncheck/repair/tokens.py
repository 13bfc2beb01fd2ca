"""The text of an einsum's subscripts in pieces that an edit may exchange: letters, or words."""

from __future__ import annotations

import re

import libcst as cst

from attncheck.graph import Operation

_LETTERS = re.compile(r"(?s:.)")
#: In the patterns of einops words are what letters are elsewhere.
_WORDS = re.compile(r"(?s:[A-Za-z]\w*|.)")


def literal_of(node: cst.CSTNode) -> cst.SimpleString | None:
    """The subscripts of a call as they are written, or None where they are no plain text."""
    arguments = node.args if isinstance(node, cst.Call) else ()
    literals = (each.value for each in arguments if isinstance(each.value, cst.SimpleString))
    return next(literals, None)


def tokens_of(literal: cst.SimpleString, operation: Operation) -> list[str]:
    """The pieces of the subscripts of an operation, quotes and all."""
    parts = _WORDS if operation.spelling.startswith("einops") else _LETTERS
    return parts.findall(literal.value)


def is_letter(token: str) -> bool:
    """Whether a piece names an axis."""
    return token[0].isalpha()


def places(tokens: list[str]) -> list[list[int]]:
    """Where the letters of each operand stand."""
    found: list[list[int]] = [[]]
    for place, token in enumerate(tokens[: tokens.index(">")]):
        if token == ",":
            found.append([])
        elif is_letter(token):
            found[-1].append(place)
    return found
