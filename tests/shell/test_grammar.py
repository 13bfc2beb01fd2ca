"""libcst refuses what CPython refuses, so that what it has parsed need not be asked of both.

Found on thousands of mutated programs; this holds it on a sample of them.
"""

import ast
import random
import warnings
from pathlib import Path

import libcst
import pytest

PROGRAMS = sorted((Path(__file__).parents[1] / "tracer" / "programs").glob("*.py"))
PIECES = (
    *"=()[],:@._{}*",
    *(
        "**",
        "->",
        ":=",
        "1",
        "return",
        "lambda",
        "yield",
        "await",
        "None",
        "def",
        "for",
        "in",
        "if",
    ),
    *("else", "not", "import", "from", "del", "global", "async", "match", "case"),
)


def mutated(text: str, draw: random.Random) -> str:
    for _ in range(draw.randint(1, 3)):
        at = draw.randrange(len(text))
        if draw.random() < 0.5:
            text = text[:at] + text[at + draw.randint(1, 6) :]
        else:
            text = f"{text[:at]} {draw.choice(PIECES)} {text[at:]}"
    return text


def accepted(parse, text: str) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parse(text)
        except (SyntaxError, ValueError, libcst.ParserSyntaxError):
            return False
    return True


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_both_refuse_the_same_mutations(program):
    draw = random.Random(program.stem)
    text = program.read_text()
    for _ in range(20):
        changed = mutated(text, draw)
        assert accepted(ast.parse, changed) or not accepted(libcst.parse_module, changed), changed
