"""The examples in docstrings, ``>>> layer(torch.rand(4, 10, 20))``, as code of the file.

An example stands where it is written: its nodes have the lines and columns of the docstring. Only
prompts count (see `doctest` in the standard library); what is printed behind them does not. One
that is no Python, or is indented in several ways, is none.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Final

import libcst as cst

from attncheck.record import record
from attncheck.tree.nodes import Unusual
from attncheck.tree.statements import module_of
from attncheck.tree.text import Text

_PROMPT: Final = ">>> "
#: A prompt, of a statement or of a line that goes on; what it takes becomes space.
_PROMPTED: Final = re.compile(r"^(?P<indent>[ \t]*)(?:>>>|\.\.\.)(?=[ \t]|$)")
_DOCUMENTED: Final = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


@record
class Example:
    """The example of one docstring: its statements, and the names that they read."""

    body: tuple[cst.CSTNode, ...]
    reads: frozenset[str]


def examples(text: Text, parsed: ast.Module) -> list[Example]:
    """The examples of a file in the order of their docstrings, placed in its text."""
    found: list[Example] = []
    if _PROMPT not in text.text:
        return found
    told = None
    for lines in _docstrings(parsed):
        prompted = [number for number in lines if _is_prompted(text.lines, number, lines.start)]
        if not prompted or prompted[0] == 1:
            continue
        told = told or _unprompted(text)
        example = _example(text, told, prompted)
        if example is not None:
            found.append(example)
    return found


def _docstrings(parsed: ast.Module) -> Iterator[range]:
    """The lines, from 1, of every docstring of a class or a function."""
    for node in ast.walk(parsed):
        if isinstance(node, _DOCUMENTED) and isinstance(node.body[0], ast.Expr):
            written = node.body[0].value
            if isinstance(written, ast.Constant) and isinstance(written.value, str):
                yield range(written.lineno, (written.end_lineno or written.lineno) + 1)


def _is_prompted(lines: Sequence[str], number: int, first: int) -> bool:
    """Whether a line is one of an example: one that goes on has another right above it."""
    line = lines[number - 1]
    if _PROMPTED.match(line) is None:
        return False
    if not line.lstrip().startswith("..."):
        return True
    return number > first and _is_prompted(lines, number - 1, first)


def _unprompted(text: Text) -> Text:
    """The text with space in the place of prompts, so that everything stands where it stood."""
    lines = [_PROMPTED.sub(lambda found: found["indent"] + "   ", line) for line in text.lines]
    pieces = []
    for index, line in enumerate(lines):
        start = text.starts[index]
        end = text.starts[index + 1] if index + 1 < len(text.starts) else len(text.text)
        pieces.append(line + text.text[start + len(line) : end])
    return Text("".join(pieces), lines, text.starts)


def _example(text: Text, told: Text, numbers: Sequence[int]) -> Example | None:
    """The example on some lines, placed in `text` as well; None if it is none."""
    written = [""] * (numbers[-1])
    for number in numbers:
        written[number - 1] = told.lines[number - 1]
    written[numbers[0] - 2] = "if 1:"
    try:
        parsed = ast.parse("\n".join(written) + "\n")
        (block,) = parsed.body
        assert isinstance(block, ast.If)
        made = module_of(told, ast.Module(block.body, []))
    except (SyntaxError, ValueError, RecursionError, MemoryError, Unusual):
        return None
    text.placed |= told.placed
    text.begun |= told.begun
    reads = {each.id for each in ast.walk(parsed) if isinstance(each, ast.Name)}
    return Example(tuple(made.body), frozenset(reads))
