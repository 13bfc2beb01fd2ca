"""The form of the code: sizes of files and functions, a reason for each file, no leftovers."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[1] / "attncheck"
MOST_LINES_OF_A_FILE = 500
MOST_LINES_OF_A_FUNCTION = 50
FILES = sorted(path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py"))
LEFT_OVER = tuple("# " + word for word in ("TODO", "FIXME", "XXX"))
every_file = pytest.mark.parametrize("name", FILES)


def text(name):
    return (PACKAGE / name).read_text(encoding="utf-8")


@every_file
def test_a_file_can_be_read_in_one_sitting(name):
    assert len(text(name).splitlines()) < MOST_LINES_OF_A_FILE


@every_file
def test_a_function_fits_on_a_screen(name):
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    long = [
        (node.name, lines)
        for node in ast.walk(ast.parse(text(name)))
        if isinstance(node, functions)
        and (lines := node.end_lineno - node.lineno + 1) > MOST_LINES_OF_A_FUNCTION
    ]
    assert long == []


@every_file
def test_a_file_says_why_it_exists(name):
    docstring = ast.get_docstring(ast.parse(text(name))) or ""
    assert len(docstring.split()) >= 3
    assert docstring.rstrip()[-1] in ".?)"


@every_file
def test_nothing_is_left_to_do(name):
    assert [word for word in LEFT_OVER if word in text(name)] == []


def test_there_is_something_to_look_at():
    assert {"tracer/machine.py", "engine.py", "algebra/size.py"} <= set(FILES)
