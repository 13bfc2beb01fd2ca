"""Whatever a file holds, its trace ends; one that ran out says so."""

import pytest

from attncheck.engine import check_source
from attncheck.settings import Settings
from attncheck.tracer.machine import ROOT_STEPS
from tracer.tracing import function, module, tracer_of

NESTED = 40
#: Each function calls the one before twice.
INLINING = "def f0(x):\n    return x\n" + "".join(
    f"def f{i}(x):\n    return f{i - 1}(f{i - 1}(x))\n" for i in range(1, 30)
)
ENDLESS = {
    "nested loops": "".join(f"{' ' * i}for i{i} in g():\n" for i in range(NESTED))
    + f"{' ' * NESTED}x = 1\n",
    "nested known loops": "".join(f"{' ' * i}for i{i} in range(6):\n" for i in range(12))
    + f"{' ' * 12}x = 1\n",
    "nested branches": "".join(f"if g({i}):\n    x = f(x)\n" for i in range(ROOT_STEPS // 2 + 1)),
    "exponential inlining": f"import functools\n{INLINING}"
    + "".join(f"y = f11(functools.partial(g, {i}))\n" for i in range(9)),
    "nested comprehensions": "x = "
    + "[" * 8
    + "1"
    + "".join(f" for i{i} in range(16)]" for i in range(8))
    + "\n",
}
ENDING = {
    "exponential inlining of equal calls": INLINING + "y = f29(1)\n",
    "while true": "while True:\n    x = 1\n",
    "mutual recursion": "def f(x):\n    return g(x)\ndef g(x):\n    return f(x)\ny = f(1)\n",
    "a method that calls itself": (
        "class A:\n    def f(self):\n        return self.f() @ self.f()\ny = A().f()\n"
    ),
    "itself as a default": "def f(g=lambda: f()):\n    return g()\ny = f()\n",
    "an object that makes itself": (
        "class A:\n    def __init__(self):\n        self.a = A()\ny = A().a.a.a\n"
    ),
    "a property of itself": (
        "class A:\n    @property\n    def x(self):\n        return self.x\ny = A().x\n"
    ),
    "a class that is its own base": "class A(A):\n    pass\nclass A(A):\n    pass\ny = A().x\n",
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS)
def test_a_trace_that_runs_out_says_so(code):
    traced = module("from other import g, f\n" + code)
    assert not traced.complete


@pytest.mark.parametrize("code", ENDING.values(), ids=ENDING)
def test_a_trace_that_ends(code):
    assert module(code).complete


def test_what_was_traced_before_stands():
    traced = module("x = np.ones((2, 3))\ny = x @ x\n" + ENDLESS["nested loops"])
    assert not traced.complete
    assert [str(operation.clash.left) for operation in traced.graph.clashes()] == ["3"]


def test_a_function_has_a_budget_of_its_own():
    tracer = tracer_of(ENDLESS["nested loops"])
    assert not tracer.run_module().complete
    code = "def f(x):\n" + "    x = x + 1\n" * (ROOT_STEPS + 1)
    assert not function(code).complete


def test_five_thousand_statements():
    lines = "".join(f"x{i} = np.ones((2, {i % 7 + 1}))\n" for i in range(5000))
    assert not module(lines).complete
    data = ("import numpy as np\n" + lines + "def f(x):\n    return x0 @ x1\n").encode()
    result = check_source(data, "long.py", Settings())
    assert (result.status, result.findings) == ("checked", ())


@pytest.mark.parametrize("code", [*ENDLESS.values(), *ENDING.values()], ids=[*ENDLESS, *ENDING])
def test_such_a_file_is_checked(code):
    data = f"import numpy as np\nfrom other import g, f\n{code}".encode()
    assert check_source(data, "endless.py", Settings()).status == "checked"
