# ruff: noqa: E501
"""No file makes the check raise: written to be awkward, or a program with its lines in disorder."""

import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attncheck.engine import check_source, trace_shapes
from attncheck.settings import Settings

PROGRAMS = [
    path.read_text(encoding="utf-8").splitlines()[2:]
    for path in sorted((Path(__file__).parent / "programs").glob("*.py"))
]
AWKWARD = {
    "deep brackets": "x = " + "(" * 90 + "1" + ")" * 90,
    "deep attributes": "x = np" + ".a" * 300,
    "deep calls": "x = f" + "()" * 300,
    "deep indices": "x = np.ones(3)" + "[0]" * 200,
    "many terms": "x = " + " + ".join(["n"] * 400),
    "many comparisons": "x = " + " < ".join(["n"] * 400),
    "deep blocks": "".join(" " * i + "if x:\n" for i in range(80)) + " " * 80 + "y = 1",
    "a deep unary": "x = " + "-" * 200 + "1",
    "a huge integer": "x = np.zeros((0x" + "f" * 5000 + ", 2))\ny = x @ x",
    "a long sum of it": "n = 10 ** 8\n" + "n = n * n\n" * 40 + "x = np.zeros(n)",
    "a huge power": "x = np.zeros(2 ** 10 ** 9)\ny = 10 ** 10 ** 10",
    "a huge shift": "x = np.zeros(1 << 10 ** 9)",
    "a huge range": "for i in range(10 ** 40):\n    x = i\ny = list(range(10 ** 40))",
    "a range that is none": "x = range()\ny = range(1, 2, 0)\nz = range(1, 2, 3, 4)\nfor i in y: pass",
    "a huge list": "x = [0] * 10 ** 12\ny = (1, 2) * 10 ** 12\nz = np.zeros([1] * 10 ** 9)",
    "a huge text": "x = 'a' * 10 ** 12\ny = np.zeros(len(x))",
    "no number": "x = int(1e999)\ny = int(-1e999)\nz = np.zeros(int(1e999 - 1e999))",
    "a huge float": "x = 1e308 * 10.0\ny = (-8.0) ** 0.5\nz = 0.0 ** -1.0\nw = 1e308 ** 2.0",
    "a division by zero": "x = 1 // 0\ny = 1 % 0\nz = 1.0 / 0.0\nw = np.ones(3).reshape(0, -1)",
    "a negative size": "x = np.zeros((-3, 2))\ny = x @ np.zeros((2, -3))\nz = x[-9:-8:-1]",
    "a step of zero": "x = np.ones(3)[::0]\ny = [1, 2][::0]\nz = (1, 2, 3)[1:2:0]",
    "bounds of anything": "x = [1, 2][None:'a']\ny = np.ones(3)['a':None:1.5]\nz = (1,)[1.5]",
    "awkward keys": "x = {1.5: 1, None: 2, ...: 3, 'a': 4}\ny = x[1.5], x[None], x[...], x[x]",
    "unpacking too few": "a, b, c = 1, 2\nd, (e, f) = 1, 2\n*g, h = ()\n[i, *j] = 5",
    "unpacking itself": "a = a, = [a]\na[0], a[a] = a, *a\n(a.b, a[0]), *a.c = a",
    "targets of all kinds": "f().x = f()[0] = f().y[1].z = np.ones(3)\n[x.y for x.y in [1, 2]]",
    "shadowed builtins": "len = range = zip = sum = None\nfor i in range(3): x = len(sum)",
    "a shadowed library": "np = None\nx = np.zeros(3)\nnp = x\ny = np.zeros(3) @ np",
    "deleted names": "x = np.ones(3)\ndel x, np\ny = np.ones(3) @ x\ndel y[0], y.a, (z, [w])",
    "star imports": "from numpy import *\nfrom torch import *\nx = zeros((2, 3)) @ ones((2, 3))",
    "imports of all kinds": "from . import a\nfrom .. import b as c\nimport a.b.c, d as e\na.b.c(e)",
    "nobody's names": "return x\nyield y\nawait z\nbreak\ncontinue",
    "super anywhere": "super().f()\nclass A:\n    def f(): super().f()\n    def g(x, *y): super(A).g(*x)",
    "classes of classes": "class A(A, B, metaclass=C):\n    class A(A): x = A\n    y = A().x\nA.A.y",
    "decorated by itself": "@f\n@f.g(f)\ndef f(f=f): return f(f)\nf(f)",
    "arguments of all kinds": "def f(a, /, b=1, *c, d, e=2, **g): return c\nf(*f, *1, **f, **{'a': 1})",
    "too many arguments": "def f(a): return a\nf(1, 2, 3, b=4)\nf()\nf(a=1, **{'a': 2})\nnp.ones()",
    "functions as numbers": "x = len + np.ones - (lambda: 1)\ny = np.ones(np)\nz = np.zeros((np, len))",
    "einsum of anything": "np.einsum()\nnp.einsum('', 1)\nnp.einsum('ij->', *[np.ones((2, 2))])",
    "strange einsums": "np.einsum('i...j,->...,', np.ones(2), 3)\nnp.einsum('αβ,βγ', np.ones(2), 3)",
    "a walrus everywhere": "print(x := (y := [z := i for i in (w := [1])]), (x := x)[(x := 0)])",
    "lambdas of lambdas": "f = lambda *a, b=lambda: c, **d: (yield)\nf(f)(f(f))",
    "a match of all": "match x:\n case [1, *_, {'a': b, **c}] | A(d, e=f) as g if g: pass\n case -1+2j: pass",
    "try of all": "try: pass\nexcept* (A, B) as e: pass\nelse: x = e\nfinally: del e",
    "async of all": "async def f():\n async with a as b, c: pass\n async for d in e: yield [x async for x in d]",
    "global of nothing": "def f():\n global x, y\n x = 1\n def g():\n  nonlocal z\n  z = 2\n g()\nf()",
    "strings of all kinds": "x = b'\\xff' + rb'\\d'\ny = u'a' 'b' f'{x!r:{y}}' '''c'''\nz = '\\ud800'",
    "characters of all kinds": "ñ = np.ones(3)\n变量 = ñ @ ñ\nx = '\\x00\\x1b[31m'\n# \x1b[0m\n",
    "types": "type X[T] = list[T]\ndef f[T](x: T) -> T: return x\nclass A[*B]: pass",
    "annotations": "x: np.ndarray['a', 3:4, ...]\ny: 'Float[Tensor, \"b t\"]' = z\n(w): 1 = 2\na.b: c = 3",
    "claims": "x = np.ones((2, 3))  # (T, T*0, -d, 2**999, d//0, (a, b), ...)\ny = x  # (a, ..., ..., b)",
}


def check(text):
    data = text.encode("utf-8", "surrogatepass")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = check_source(data, "hostile.py", Settings())
        if result.status == "checked":
            trace_shapes(data, "hostile.py", Settings())
    return result


@pytest.mark.parametrize("code", AWKWARD.values(), ids=AWKWARD)
def test_awkward_files_are_checked_or_refused(code):
    result = check("import numpy as np\n" + code + "\n")
    assert result.status in ("checked", "failed")


def test_attributes_that_no_name_can_have():
    code = "import numpy as np\nx = getattr(np, 'a/b', 1), getattr(np, '', 2)\n"
    assert check(code).status == "checked"


@pytest.mark.parametrize("code", AWKWARD.values(), ids=AWKWARD)
def test_awkward_functions_are_checked_or_refused(code):
    inside = "\n".join("    " + line for line in code.split("\n"))
    result = check(f"import torch\ndef f(x, n, q=None):\n{inside}\n    return x @ n\nf(1, 2)\n")
    assert result.status in ("checked", "failed")


@st.composite
def disorderly(draw):
    """A program with a few lines deleted, doubled, moved, or put into another program."""
    lines = list(draw(st.sampled_from(PROGRAMS)))
    for _ in range(draw(st.integers(1, 4))):
        kind = draw(st.sampled_from(["delete", "double", "swap", "import"]))
        at, to = (draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        if kind == "delete" and len(lines) > 1:
            del lines[at]
        elif kind == "double":
            lines.insert(to, lines[at])
        elif kind == "swap":
            lines[at], lines[to] = lines[to], lines[at]
        else:
            lines.insert(at, draw(st.sampled_from(draw(st.sampled_from(PROGRAMS)))))
    return "\n".join(lines)


@settings(max_examples=250, deadline=None, suppress_health_check=list(HealthCheck))
@given(disorderly())
def test_programs_in_disorder_are_checked_or_refused(text):
    assert check(text).status in ("checked", "skipped", "failed")
