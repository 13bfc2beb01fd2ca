"""The tree made from CPython's is libcst's, node by node; what is not certain is left to libcst."""

import ast

import libcst
import pytest

from attncheck.source import SourceError, _made, line_starts, load, split_lines
from attncheck.tree.nodes import FIELDS, Unusual
from attncheck.tree.pairs import is_made, pairs, parts
from attncheck.tree.statements import module_of
from attncheck.tree.text import Text


def made(text):
    return module_of(Text(text, split_lines(text), line_starts(text)), ast.parse(text))


def assert_same(module, text):
    """Every node is of the same class as libcst's, and says the same."""
    for one, other in pairs(module, libcst.parse_module(text)):
        for name in FIELDS[type(one)]:
            value, expected = getattr(one, name), getattr(other, name)
            if isinstance(value, str) or value is None:
                assert value == expected, (type(one), name)
            else:
                assert type(value) is type(expected) or isinstance(value, list)


EXPRESSIONS = [
    *("x", "x.y.z", "(x).y", "True", "None", "...", "1", "0x1F", "1_000", "-1", "1.5e3", "2j"),
    *("'a'", '"a"', "'''a\n'b'\n'''", "b'a'", r"r'\d'", r"'a\'b'", "'a\\\nb'", "'ä' + b"),
    *(
        "'a' 'b'",
        "'a' \"b'\"",
        "('a'\n  # c ' d\n  'b' 'c')",
        "f'{x}'",
        "f'{x}' 'a'",
        "'a' rf'{x}'",
    ),
    *("a + b * c", "a - b - c", "a @ b", "a ** -b", "a // b % c", "a << b >> c", "a | b ^ c & d"),
    *("not a", "~a", "+a", "a and b and c", "(a and b) and c", "a and (b and c)", "a or b and c"),
    *("a < b <= c", "a == b != c", "a > b >= c", "a is b", "a is not b", "a in b", "a not in b"),
    *("a if b else c", "(y := x)", "[y := 1]", "lambda: 0", "lambda x, *y, z=1, **w: x"),
    *("lambda x, /, y=2, *, z: x", "f()", "f(a, b)", "f(a, b=c)", "f(*a, **b)", "f(b=c, *a)"),
    *("f(a, *b, c=1, **d)", "f(x for x in y)", "f((a, b))", "()", "(a,)", "a, b", "(a, *b)"),
    *(
        "[]",
        "[a, *b]",
        "{a, b}",
        "{*a}",
        "{}",
        "{a: b, **c}",
        "[x for x in y if x if y for z in x]",
    ),
    *("{x for x in y}", "{x: y for x, y in z}", "(x for x in y)", "x[a]", "x[a, b]", "x[(a, b)]"),
    *(
        "x[(a), b]",
        "x[(a), (b)]",
        "x[((a), b)]",
        "x[()]",
        "x[a,]",
        "x[(a,)]",
        "x[:, None, ..., 1:2:3]",
    ),
    *("x[*a]", "x[*a, b]", "x[a[0], (b + c) * d]", "x[(a + b) * c, d]", "x[(a[0], b), c]"),
    *("x[('(', a)]", "x[f(a), f(b)]", "x[::-1]", "x[a:b]", "x[(yield)]"),
]
STATEMENTS = [
    *("", "\n", "# c\n", "'''doc'''\n", "x = 1; y = 2\nz = 3\n", "x = y = 1\n", "x: int\n"),
    *("x: int = 1\n", "x += 1; x @= y; x //= z\n", "x.y, z[0] = w\n", "*a, b = c\n", "(a) = 1\n"),
    *("return_ = 1\n", "def f(): pass\n", "def f():\n  return\n", "def f(): return 1; pass\n"),
    "def f(a: int, /, b=1, *args: T, c, d: str = 'x', **kwargs) -> Tensor:\n    return a\n",
    "@a\n@b.c(1)\nasync def f(*, x):\n    await y\n    async with a as b, c: pass\n",
    "async def f():\n    async for x in y:\n        yield x\n    return [z async for z in w]\n",
    "class A: pass\n",
    "@d\nclass A(B, *C, metaclass=M, **kw):\n    '''doc'''\n    x: int = 1\n    def f(self): ...\n",
    "if a: b\nelif c: d; e\nelse: f\n",
    "if a:\n    b\nelse:\n    if c:\n        d\n",
    "if a:\n    b\nelif c:\n    d\nelif e:\n    f\nelse:\n    g\n",
    "while a:\n    break\nelse:\n    continue_\n",
    "for a, b in c:\n    continue\nelse:\n    pass\n",
    "for x in *a, b: pass\n",
    "try:\n    a\nexcept B as c:\n    d\nexcept (E, F):\n    g\nexcept:\n    raise\nelse:\n    h\n"
    "finally:\n    i\n",
    "try:\n    a\nfinally:\n    b\n",
    "try:\n    a\nexcept* B as c:\n    d\n",
    "with a: pass\nwith a as b, c as (d, e): pass\nwith (a as b, c): pass\nwith (a, b): pass\n",
    "with (a): pass\nwith (a, b) as c: pass\n",
    "import a\nimport a.b.c as d, e\nfrom a import *\n",
    "from . import f\nfrom ..a.b import c as d, e\n",
    "from a import (b,\n  c)\n",
    "del a\ndel a, b\ndel (a, b)\ndel a[0], b.c\ndel (a)\ndel a,\n",
    "raise\nraise A\nraise A from b\nassert a\nassert a, 'b'\n",
    "def f():\n    global a, b\n    nonlocal_ = 1\n    def g():\n        nonlocal nonlocal_\n",
    "def f():\n    x = yield\n    y = yield x\n    yield from z\n    yield a, b\n",
    "x = 1\r\nif a:\r\n    '''b\r\nc'''; d\r\n",
    "x = 1\rif a:\r  y = 'b'\r",
    "def f():\n\tx = 'é' + \"λ\"; y = 'ü', 1\n",
    "é = 'é'; x = [é, 'a', 1]\n",
    "\fx = 1\n\f\ny = 'a'\n",
    "x = a + \\\n    b\nassert x, \\\n    'c'\n",
    "for x, in y: pass\nfor (x) in *y, z: pass\n() = x\n[] = x\n[a, *b] = x\n",
    "x: tuple = 1, 2\nx = *a, *b\ny = yield_\ny += 1, 2\nassert (a, b)\nx = y = *a,\n",
    "with (a), (b): pass\nwith (a, b) as c, d: pass\nwith (a as b,): pass\nwith (a)(b), c: pass\n",
    "with (a if b else c) as (d): pass\nwith a[0] as b[0], c as d.e: pass\n",
    "del (a), b\ndel [a, b]\ndel (a,)\ndel ()\n",
    "@a[0].b\n@(c)\ndef f(a=lambda: (yield), *, b): pass\n",
    "match = 1\nprint(match)\ntype = 2\n",
    "if True:\n    x = 1  # c\\\n    # d\n    y = 2\n",
]


@pytest.mark.parametrize("text", [f"x = {text}\n" for text in EXPRESSIONS] + STATEMENTS)
def test_is_libcsts(text):
    assert_same(made(text), text)


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_is_libcsts_in_brackets_and_in_a_call(text):
    text = f"y = f((\n  {text}), {{1: [(\n{text})]}}) if ({text}) else 0\n"
    assert_same(made(text), text)


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n    case 1: pass\n",
        "if a: \\\n  b\n",
        "if a:\n    # where does this line begin? \\\n    b\n",
        "x[(a # )\n , b)]\n",
        "def f(*args: *T): ...\n",
    ],
)
def test_leaves_to_libcst_what_is_not_certain(text):
    with pytest.raises(Unusual):
        made(text)
    assert _made(text, ast.parse(text)) is None
    module = load(text.encode(), "x.py").module
    assert not is_made(module)
    assert module.code == text


def test_leaves_the_refusal_to_libcst():
    with pytest.raises(Unusual):
        made("(w): int = 2\n")
    with pytest.raises(SourceError, match="Python can parse this line, libcst cannot"):
        load(b"(w): int = 2\n", "x.py")


def test_statements_begin_on_the_lines_that_libcst_gives():
    text = (
        '"""Doc."""\nimport a; b = 1\n\n@c\n@d(\n    1\n)\ndef f(x): return x; y\n\n'
        "class C:\n    # why\n    @e\n    async def g(self,\n                h):\n        if h:\n"
        "            return (1 +\n                2)\n        else: pass\n\nx = [\n    1,\n]\n"
    )
    source = load(text.encode(), "x.py")
    begun = [node for node in parts(source.module) if id(node) in source._written.begun]
    lines = [source.line(node) for node in begun]
    assert lines == [source.span(node).line for node in begun]
    assert sorted(set(lines)) == [1, 2, 8, 10, 13, 15, 16, 18, 20]
