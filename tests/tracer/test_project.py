"""Imports of the project's own files: what is found, what is read, and where findings stand."""

import os
from textwrap import dedent

import pytest

from attncheck import outline, source
from attncheck.analysis import make_tracer
from attncheck.engine import check_source, trace_shapes
from attncheck.settings import Settings
from attncheck.source import load
from attncheck.tracer import project
from tracer.tracing import last

HELPERS = """
    import torch

    WIDTH = 8

    def multiply(a, b):
        return a @ b

    def wide(n):
        return torch.zeros(n, WIDTH)

    class Mixer:
        def __init__(self, size):
            self.weight = torch.zeros(size, size)

        def mix(self, x):
            return x @ self.weight

    class Linear(torch.nn.Module):
        def __init__(self, size):
            super().__init__()
            self.layer = torch.nn.Linear(size, size)

    linear = torch.nn.Linear(3, 5)
"""


def write(folder, files):
    """Write files, given by their paths in the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text), encoding="utf-8")


def package(folder, *, init="", **files):
    """The package ``pkg`` of these files and the helpers; the path of its ``main``."""
    given = {"__init__": init, "helpers": HELPERS, **files}
    write(folder, {f"pkg/{name}.py": text for name, text in given.items()})
    return folder / "pkg" / "main.py"


def traced(path):
    """The trace of a file's module code, and the files that it followed, by their names."""
    tracer = make_tracer(load(path.read_bytes(), str(path)), Settings())
    done = tracer.run_module()
    return done, {os.path.relpath(name, path.parent) for name in tracer.followed}


def value(path, name="x"):
    """The shape (or the number, or the kind) that module code leaves under a name."""
    return last(traced(path)[0], name)


def checked(path):
    return check_source(path.read_bytes(), str(path), Settings())


def findings(path):
    return [(finding.line, finding.name) for finding in checked(path).findings]


# -- ways to import -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "code",
    [
        "from .helpers import wide\nx = wide(2)",
        "from .helpers import wide as make\nx = make(2)",
        "from . import helpers\nx = helpers.wide(2)",
        "from . import helpers as h\nmake = h.wide\nx = make(2)",
        "from pkg.helpers import wide\nx = wide(2)",
        "import pkg.helpers\nx = pkg.helpers.wide(2)",
        "import pkg.helpers as h\nx = h.wide(2)",
        "from pkg import helpers\nx = helpers.wide(2)",
        "from .helpers import *\nx = wide(2)",
        "from ..pkg.helpers import wide\nx = wide(2)",
        "import functools\nfrom .helpers import wide\nx = functools.partial(wide, n=2)()",
        "from .helpers import wide\nmakers = {'wide': wide}\nx = makers['wide'](2)",
        "import torch\nfrom .helpers import WIDTH\nx = torch.zeros(2, WIDTH)",
        "import torch\nfrom . import helpers\nx = torch.zeros(2, helpers.WIDTH)",
        "def f():\n    from .helpers import wide\n    return wide(2)\nx = f()",
    ],
)
def test_a_name_of_another_file_is_found(tmp_path, code):
    assert value(package(tmp_path, main=code)) == (2, 8)


@pytest.mark.parametrize(
    "init",
    [
        "from .helpers import wide",
        "from pkg.helpers import wide",
        "from .helpers import *",
        "from .helpers import wide as narrow\nwide = narrow",
        "from . import helpers\nwide = helpers.wide",
        "try:\n    from .helpers import wide\nexcept ImportError:\n    raise",
        "from .other import wide",
    ],
)
@pytest.mark.parametrize("code", ["from pkg import wide", "from . import wide", "import pkg"])
def test_a_package_hands_names_on(tmp_path, init, code):
    call = "pkg.wide" if code == "import pkg" else "wide"
    main = package(
        tmp_path, init=init, other="from .helpers import wide", main=f"{code}\nx = {call}(2)"
    )
    assert value(main) == (2, 8)


def test_a_script_imports_what_lies_beside_it(tmp_path):
    files = {
        "helpers.py": HELPERS,
        "models/layers.py": "from helpers import wide",
        "main.py": """
            from helpers import wide
            from models.layers import wide as w
            x = wide(2)
            y = w(3)
        """,
    }
    write(tmp_path, files)
    assert value(tmp_path / "main.py") == (2, 8)
    assert value(tmp_path / "main.py", "y") == (3, 8)


@pytest.mark.parametrize("place", ["pkg", "src/pkg"])
@pytest.mark.parametrize("marker", ["pyproject.toml", "setup.py"])
def test_a_test_imports_the_package_of_its_project(tmp_path, place, marker):
    files = {
        marker: "",
        f"{place}/__init__.py": "",
        f"{place}/helpers.py": HELPERS,
        "tests/unit/test_it.py": "from pkg.helpers import wide\nx = wide(2)",
    }
    write(tmp_path, files)
    assert value(tmp_path / "tests" / "unit" / "test_it.py") == (2, 8)


def test_without_the_mark_of_a_project_nothing_above_a_script_is_found(tmp_path):
    main = "from helpers import wide\nx = wide(2)"
    write(tmp_path, {"helpers.py": HELPERS, "scripts/main.py": main})
    assert value(tmp_path / "scripts" / "main.py") == "Unknown"


def test_files_of_one_name_in_two_folders_are_two(tmp_path):
    two = "import torch\nfrom .helpers import WIDTH as w\ndef wide(n): return torch.zeros(n, w)"
    main = """
        from .a.layers import wide
        from pkg.b import layers
        x = wide(2)
        y = layers.wide(2)
    """
    main = package(tmp_path, main=main)
    for folder, width in (("a", 3), ("b", 5)):
        write(main.parent / folder, {"helpers.py": f"WIDTH = {width}", "layers.py": two})
    assert value(main) == (2, 3)
    assert value(main, "y") == (2, 5)


def test_a_library_is_no_file_of_the_project(tmp_path):
    files = {
        "torch.py": "def zeros(*sizes): return 1",
        "math.py": "pi = 'x'",
        "main.py": "import torch\nimport math\nx = torch.zeros(2, 3)\ny = math.pi",
    }
    write(tmp_path, files)
    assert value(tmp_path / "main.py") == (2, 3)
    assert value(tmp_path / "main.py", "y") == pytest.approx(3.14159, abs=1e-5)


def test_a_file_beside_may_have_the_name_of_a_library(tmp_path):
    main = package(tmp_path, torch=HELPERS, main="from .torch import wide\nx = wide(2)")
    assert value(main) == (2, 8)


def test_a_library_that_is_modelled_takes_its_layers_out_of_itself(tmp_path):
    files = {
        "torch/__init__.py": "",
        "torch/nn/__init__.py": "",
        "torch/nn/modules/__init__.py": "",
        "torch/nn/modules/linear.py": "class Linear:\n    pass\n",
        "torch/nn/modules/own.py": """
            import torch
            from .linear import Linear
            x = Linear(3, 5)(torch.zeros(2, 3))
        """,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(dedent(text))
    assert value(tmp_path / "torch/nn/modules/own.py") == (2, 5)


def test_installed_packages_are_not_looked_into(tmp_path):
    site = tmp_path / "site-packages"
    write(site, {"other/__init__.py": HELPERS, "plain.py": HELPERS})
    main = package(
        site,
        main="from other import wide\nfrom plain import wide as w\n"
        "from pkg.helpers import wide as own\nx = wide(2)\ny = w(2)\nz = own(2)",
    )
    assert [value(main, name) for name in "xyz"] == ["Unknown", "Unknown", (2, 8)]


# -- what a module's statements make of a name ----------------------------------------------------


@pytest.mark.parametrize(
    ("code", "shape"),
    [
        ("N = 2\nN = 3", (3,)),
        ("N = 2\nN += 1", (3,)),
        ("N, M = 3, 4", (3,)),
        ("if True:\n    N = 3\nelse:\n    N = 4", (3,)),
        ("if __name__ == '__main__':\n    N = 4\nelse:\n    N = 3", "?"),
        ("N = 3\nif __name__ == '__main__':\n    N = 4", (3,)),
        ("M = 2\n\nN = M + 1", (3,)),
        ("def n(): return M\nM = 3\nN = n()", (3,)),
        ("N = 2\nM = N\nN = 3", "?"),
        ("N = 3\ndef change():\n    global N\n    N = 4", "?"),
        ("import os\nN = int(os.environ['N'])", "?"),
        ("'''\nN = 4\n'''\nN = 3", (3,)),
        ("# 'it is\nN = 3 # N = \"4", (3,)),
        ("N = (\n3\n)", (3,)),
        ("N = 2 + \\\n1", (3,)),
        ("N = M\nM = 3", "?"),
        ("del N", "?"),
    ],
)
def test_the_value_of_a_constant(tmp_path, code, shape):
    main = "import torch\nfrom .other import N\nx = torch.zeros(N)"
    found = value(package(tmp_path, other=code, main=main))
    assert found in ([None, ("?",)] if shape == "?" else [shape])


def test_an_empty_list_is_there_to_be_filled(tmp_path):
    main = """
        import torch
        from .other import STEPS, SIZES
        x = torch.zeros(2)
        for step in STEPS:
            x = step(x)
        y = torch.zeros(SIZES["small"])
    """
    main = package(tmp_path, other="STEPS = []\nSIZES = {'small': 4}", main=main)
    assert value(main) == "Unknown"
    assert value(main, "y") == (4,)


def test_a_module_that_is_written_to_is_not_known(tmp_path):
    main = "import torch\nfrom . import helpers\nhelpers.WIDTH = 5\nx = helpers.wide(2)"
    assert value(package(tmp_path, main=main)) == (2, "?")


def test_a_cycle_leaves_unknown_what_is_not_there_yet(tmp_path):
    main = package(
        tmp_path,
        a="from .b import M\nN = 3\nP = M",
        b="from .a import N, P\nM = 4\nQ = P",
        main="import torch\nfrom .a import N, P\nfrom .b import M, Q\n"
        "x = torch.zeros(N)\ny = torch.zeros(M)\nz = torch.zeros(P)\n",
    )
    assert [value(main, name) for name in "xyz"] == [(3,), (4,), (4,)]
    main = package(tmp_path, a="from .b import N", b="from .a import N", main=main.read_text())
    assert value(main) is None


def test_the_checked_file_is_itself_in_a_cycle(tmp_path):
    main = """
        import torch
        from .other import twice
        SIZE = 3
        x = twice()
        LATER = 4
        def f():
            return twice()
    """
    other = """
        import torch
        from .main import SIZE, LATER
        def twice():
            return torch.zeros(SIZE, 2), torch.zeros(LATER)
    """
    main = package(tmp_path, other=other, main=main)
    done, followed = traced(main)
    assert followed == {"other.py"}
    first, second = next(site.value for site in done.sites if site.name == "x").items
    assert str(first.shape) == "(3, 2)"
    assert second.shape is None or second.shape.sizes() == (None,)


def test_a_function_uses_what_its_own_file_imports(tmp_path):
    main = package(
        tmp_path,
        deep="import numpy as np\nfrom pkg.helpers import *\ndef f(n): return np.ones(n) @ wide(n)",
        main="from .deep import f\nx = f(3)",
    )
    assert value(main) == (8,)


def test_methods_of_unseen_arrays_are_those_of_the_functions_own_file(tmp_path):
    """Where only numpy is imported ``x.size`` is no method, in whichever file it is called."""
    main = """
        import torch
        from .other import rows
        def f(x):
            x = torch.matmul(x, torch.zeros(4, 5))
            return rows(x)
    """
    other = "def rows(x):\n    return x.unsqueeze(0)"
    path = package(tmp_path, other=other, main=main)
    assert checked(path).findings == ()


# -- classes --------------------------------------------------------------------------------------


def test_a_base_class_in_another_file(tmp_path):
    main = """
        import torch
        from .helpers import Mixer
        class Own(Mixer):
            def __init__(self):
                super().__init__(4)
        x = Own().mix(torch.zeros(2, 4))
        class Plain(Mixer):
            pass
        y = Plain(5).mix(torch.zeros(2, 5))
        z = Mixer(6).weight
    """
    main = package(tmp_path, main=main)
    assert [value(main, name) for name in "xyz"] == [(2, 4), (2, 5), (6, 6)]


def test_a_method_of_a_foreign_base_calls_one_of_the_checked_file(tmp_path):
    base = """
        class Base:
            def run(self, x):
                return self.step(x) @ x
    """
    main = """
        import torch
        from .base import Base
        class Own(Base):
            def step(self, x):
                return x.T @ torch.zeros(7, 9)
        x = Own().run(torch.zeros(2, 3))
    """
    main = package(tmp_path, base=base, main=main)
    assert findings(main) == [(6, "matmul-mismatch")]
    assert value(main) is None


def test_a_dataclass_config_in_another_file(tmp_path):
    config = """
        from dataclasses import dataclass
        @dataclass
        class Config:
            heads: int = 2
            width: int = 6
    """
    main = """
        import torch
        from .config import Config
        config = Config(width=12)
        x = torch.zeros(config.heads, config.width)
    """
    main = package(tmp_path, config=config, main=main)
    assert value(main) == (2, 12)


def test_an_object_made_in_another_file_is_known_and_its_making_is_not_shown(tmp_path):
    main = """
        import torch
        from .other import SHARED, make
        x = SHARED.weight
        y = make().weight
        z = x @ torch.zeros(9, 9)
        w = y @ torch.zeros(9, 9)
    """
    other = "from .helpers import Mixer\nSHARED = Mixer(3)\ndef make(): return Mixer(4)"
    main = package(tmp_path, other=other, main=main)
    assert [value(main, name) for name in "xy"] == [(3, 3), (4, 4)]
    assert [line for line, _ in findings(main)] == [6, 7]
    by_name = {each.tensor.name: each.tensor.decided_at for each in checked(main).findings}
    assert all(at is None or at.line in (4, 5, 6, 7) for at in by_name.values())


# -- where findings stand -------------------------------------------------------------------------

WRONG = """
    import torch



    def wrong(x):
        y = torch.zeros(2, 3) @ torch.zeros(3, 4)
        z = torch.zeros(9, 9)
        return y @ torch.zeros(5, 6)

    def right(x):
        return x @ torch.zeros(3, 4)

    def softmax_of(x):
        return torch.softmax(x, dim=0)
"""


def test_a_contradiction_in_another_file_is_left_to_its_own_check(tmp_path):
    main = package(
        tmp_path,
        other=WRONG,
        main="import torch\nfrom .other import wrong\nx = wrong(torch.zeros(2, 3))",
    )
    assert findings(main) == []
    assert findings(main.with_name("other.py")) == [(9, "matmul-mismatch")]


def test_a_wrong_result_is_reported_where_the_checked_file_uses_it(tmp_path):
    main = """
        import torch
        from .other import right
        def f():
            x = right(torch.zeros(2, 3))
            return x @ torch.zeros(3, 5)
    """
    main = package(tmp_path, other=WRONG, main=main)
    (finding,) = checked(main).findings
    assert (finding.line, finding.column, finding.code) == (6, 12, "ATN101")
    assert finding.function == "f"
    assert [step.expression for step in finding.trace] == ["x", "torch.zeros(3, 5)"]
    assert [step.line for step in finding.trace] == [5, 6]


def test_a_layer_made_in_another_file(tmp_path):
    base = """
        import torch.nn as nn
        class Base(nn.Module):
            def __init__(self, size):
                super().__init__()
                self.proj = nn.Linear(8, size)
        SHARED = nn.Linear(5, 6)
        def make(size):
            return nn.Sequential(nn.Linear(size, 2), nn.ReLU())
    """
    main = """
        import torch
        from .base import Base, SHARED, make
        class Own(Base):
            def __init__(self):
                super().__init__(4)
                self.out = make(3)
            def forward(self):
                x = self.proj(torch.zeros(2, 8))
                y = self.out(torch.zeros(2, 3))
                z = SHARED(torch.zeros(2, 5))
                self.proj(torch.zeros(2, 7))
                self.out(torch.zeros(2, 9))
                SHARED(torch.zeros(2, 9))
                return x
    """
    path = package(tmp_path, base=base, main=main)
    tracer = make_tracer(load(path.read_bytes(), str(path)), Settings())
    tracer.run_module()
    forward = tracer.run_function(tracer.functions[1])
    assert [last(forward, name) for name in "xyz"] == [(2, 4), (2, 2), (2, 6)]
    assert findings(path) == [(line, "layer-features") for line in (12, 13, 14)]


def test_weights_of_another_files_softmax(tmp_path):
    """The mistake is in the other file, and nothing of it may be told at a line of this one."""
    main = """
        import torch
        from .other import softmax_of
        def attend(query, key, value):
            scores = query @ key.transpose(-2, -1)
            weights = softmax_of(scores)
            return weights @ value
        x = attend(torch.zeros(3, 4), torch.zeros(5, 4), torch.zeros(5, 6))
    """
    main = package(tmp_path, other=WRONG, main=main)
    lines = main.read_text().splitlines()
    for finding in checked(main).findings:
        assert "softmax_of" in lines[finding.line - 1] or "weights" in lines[finding.line - 1]
    assert value(main) == (3, 6)


def test_only_the_own_places_of_a_file_are_shown(tmp_path):
    main = package(
        tmp_path,
        other=WRONG,
        main="import torch\nfrom .other import *\nx = right(torch.ones(2, 3))",
    )
    rows = trace_shapes(main.read_bytes(), str(main), Settings())
    assert [(row.line, row.name, row.shape) for row in rows] == [(3, "x", (2, 4))]


def test_every_node_of_a_graph_is_of_the_checked_file(tmp_path):
    main = """
        import torch
        from .helpers import Linear, Mixer, linear, multiply, wide
        class Own(Mixer):
            def again(self, f, x):
                return f(self.mix(x))
        linear(torch.zeros(4, 3))
        Linear(3).layer(torch.zeros(4, 3))
        x = Own(8).again(lambda x: multiply(x, wide(8)), wide(3))
    """
    path = package(tmp_path, main=main)
    checked_source = load(path.read_bytes(), str(path))
    tracer = make_tracer(checked_source, Settings())
    traces = [tracer.run_module(), *map(tracer.run_function, tracer.functions)]
    count = 0
    for done in traces:
        for operation in done.graph.operations:
            nodes = [operation.node, *(operand.node for operand in operation.operands)]
            nodes += [caller.node for caller in operation.place.calls]
            for node in nodes:
                assert node is None or checked_source.code(node)
            count += operation.elsewhere
    assert count >= 5
    assert last(traces[0], "x") == (3, 8)


# -- what is read ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "read"),
    [
        ("from .helpers import wide", set()),
        ("import pkg.helpers as h", set()),
        ("from pkg.helpers import wide as w\nif False:\n    w(2)", set()),
        ("from .helpers import wide\nwide(2)", {"helpers.py"}),
        ("from .helpers import *", {"helpers.py"}),
        ("from pkg import wide\nwide(2)", {"__init__.py", "helpers.py"}),
        ("from .other import gone\ngone(2)", {"other.py"}),
        ("from .nothing import gone\ngone(2)", set()),
    ],
)
def test_a_file_is_read_when_a_name_of_it_is_used(tmp_path, code, read):
    main = package(tmp_path, init="from .helpers import wide", other="", main=code)
    assert traced(main)[1] == read


def test_only_what_is_used_is_parsed(tmp_path, monkeypatch):
    parsed = []

    def parse(said):
        parsed.append(said.text.split("\n")[0])
        return source.parse(said)

    monkeypatch.setattr(outline, "parse", parse)
    main = package(tmp_path, main="from .helpers import wide\nx = wide(2)")
    assert value(main) == (2, 8)
    assert parsed == ["def wide(n):", "WIDTH = 8"]


def test_the_result_names_the_files_that_were_read(tmp_path, monkeypatch):
    main = package(
        tmp_path, main="import torch\nfrom .helpers import wide\nfrom . import other\nx = wide(2)"
    )
    helpers = main.with_name("helpers.py")
    assert checked(main).followed == (str(helpers),)
    monkeypatch.chdir(tmp_path)
    result = check_source(main.read_bytes(), os.path.join("pkg", "main.py"), Settings())
    assert result.followed == (os.path.join("pkg", "helpers.py"),)


@pytest.mark.parametrize("path", ["<stdin>", "nowhere.py"])
def test_text_without_a_file_follows_nothing(tmp_path, monkeypatch, path):
    package(tmp_path)
    monkeypatch.chdir(tmp_path / "pkg")
    code = b"import torch\nfrom helpers import wide\nx = wide(2) @ torch.zeros(3, 3)\n"
    assert check_source(code, path, Settings()).followed == ()
    (tmp_path / "pkg" / "main.py").write_bytes(code)


@pytest.mark.parametrize(
    "text",
    [
        "def wide(n:\n    return 1\n",
        "\0",
        "def wide(n):\n\treturn n\n        return 2\n",
        "\xff",
        "x = " + "(" * 3000,
        "def wide(n):\n    return " + "(" * 3000 + "n" + ")" * 3000,
    ],
)
def test_a_file_that_cannot_be_parsed_gives_unknown(tmp_path, text):
    main = package(tmp_path, main="import torch\nfrom .helpers import wide\nx = wide(2)")
    main.with_name("helpers.py").write_bytes(text.encode("latin-1"))
    assert value(main) == "Unknown"
    assert checked(main).status == "checked"


def test_one_statement_that_cannot_be_parsed_leaves_the_others(tmp_path):
    main = package(
        tmp_path,
        helpers=dedent(HELPERS) + "\nclass Broken(:\n    pass\n",
        main="from .helpers import wide, Broken\nx = wide(2)\ny = Broken()",
    )
    assert value(main) == (2, 8)
    assert value(main, "y") == "Unknown"


def test_what_is_no_regular_file_is_not_opened(tmp_path):
    main = package(tmp_path, main="from .pipe import wide\nx = wide(2)")
    os.mkfifo(main.with_name("pipe.py"))
    assert value(main) == "Unknown"


def test_links_are_followed_inside_the_project_only(tmp_path):
    write(tmp_path / "elsewhere", {"secret.py": HELPERS})
    main = package(
        tmp_path / "project",
        main="from .outside import wide\nfrom .inside import wide as w\nx = wide(2)\ny = w(2)\n"
        "from .loop import wide as l\nz = l(2)",
    )
    main.with_name("outside.py").symlink_to(tmp_path / "elsewhere" / "secret.py")
    main.with_name("inside.py").symlink_to(main.with_name("helpers.py"))
    main.with_name("loop.py").symlink_to(main.with_name("loop.py"))
    assert [value(main, name) for name in "xyz"] == ["Unknown", (2, 8), "Unknown"]


# -- bounds ---------------------------------------------------------------------------------------


def test_so_many_files_are_read_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setattr(project, "MOST_FILES", 2)
    main = package(
        tmp_path,
        **{name: HELPERS for name in "abc"},
        main="".join(
            f"from .{name} import wide as {name}\n{name}x = {name}(2)\n" for name in "abc"
        ),
    )
    done, followed = traced(main)
    assert followed == {"a.py", "b.py"}
    assert [last(done, f"{name}x") for name in "abc"] == [(2, 8), (2, 8), "Unknown"]


@pytest.mark.parametrize("bound", ["MOST_PARSED", "MOST_OUTLINED", "MOST_STEPS"])
def test_a_bound_that_is_reached_gives_unknown(tmp_path, monkeypatch, bound):
    main = package(tmp_path, main="from .helpers import wide\nx = wide(2)")
    monkeypatch.setattr(project, bound, -100)
    assert value(main) in ("Unknown", (2, "?"))


def test_a_call_that_takes_too_long_leaves_nothing_behind(tmp_path, monkeypatch):
    other = """
        def slow(box, x):
            assert x.shape[0] == 7
            box.size = 9
            for i in range(6):
                for j in range(6):
                    box.size = i
            return x
        def quick(x):
            return x
    """
    main = """
        import torch
        from .other import slow, quick
        class Box:
            def __init__(self):
                self.size = 4
        def f(x):
            box = Box()
            x = torch.matmul(x, torch.zeros(5, 6))
            s = box.size
            y = slow(box, x)
            a = torch.zeros(box.size, 2)
            b = torch.zeros(x.shape[0], 2)
            c = quick(a)
            return a
    """
    path = package(tmp_path, other=other, main=main)

    def shapes():
        rows = trace_shapes(path.read_bytes(), str(path), Settings())
        return {row.name: row.shape for row in rows if row.name in ("a", "c")}

    monkeypatch.setattr(project, "MOST_STEPS_OF_A_VISIT", 20)
    assert shapes() == {"a": (4, 2), "c": (4, 2)}


@pytest.mark.parametrize("returns", ["bool", "str"])
def test_a_function_that_returns_no_array_is_not_run(tmp_path, returns):
    other = f"import torch\ndef f(x) -> {returns}:\n    return torch.zeros(3)"
    main = package(tmp_path, other=other, main="from .other import f\nx = f(1)\ny = f")
    assert value(main) == "Scalar"


def test_logging_is_left_aside(tmp_path):
    main = package(tmp_path, logging=HELPERS, main="from . import logging\nx = logging.wide(2)")
    assert traced(main)[1] == {"__init__.py"}
    assert value(main) == "Unknown"


def test_the_methods_of_a_long_class_are_parsed_when_they_are_called(tmp_path, monkeypatch):
    parsed = []

    def parse(said):
        parsed.append(said.text)
        return source.parse(said)

    monkeypatch.setattr(outline, "parse", parse)
    rest = "\n".join(f"    def m{i}(self):\n        return self.weight + {i}" for i in range(40))
    other = f"""
import torch
class Long:
    def __init__(self, size):
        self.weight = torch.zeros(size, size)
    def mix(self, x):
        return x @ self.weight
    def lose(self):
        self.lost = None
{rest}
"""
    main = """
        import torch
        from .other import Long
        class Own(Long):
            pass
        x = Long(3).mix(torch.zeros(2, 3))
        y = Own(4).mix(torch.zeros(2, 4))
        z = Own(5).m3()
    """
    main = package(tmp_path, other=other, main=main)
    done, _ = traced(main)
    assert [last(done, name) for name in "xyz"] == [(2, 3), (2, 4), (5, 5)]
    assert [text.split("\n")[1].strip() for text in parsed[1:]] == [
        "def mix(self, x):",
        "def __init__(self, size):",
        "def m3(self):",
    ]


def test_a_large_file_is_not_followed(tmp_path, monkeypatch):
    main = package(tmp_path, main="from .helpers import wide\nx = wide(2)")
    monkeypatch.setattr(outline, "MAX_BYTES", 100)
    assert value(main) == "Unknown"


def test_a_long_chain_of_imports_ends(tmp_path):
    names = [f"m{number}" for number in range(30)]
    chain = {
        name: f"from .{following} import wide"
        for name, following in zip(names, [*names[1:], "helpers"], strict=True)
    }
    near = names[-project.MOST_NESTED + 1]
    main = package(
        tmp_path,
        **chain,
        main=f"from .m0 import wide\nx = wide(2)\nfrom .{near} import wide as w\ny = w(2)",
    )
    assert value(main) == "Unknown"
    assert value(main, "y") == (2, 8)


def test_recursion_over_files_ends(tmp_path):
    main = package(
        tmp_path,
        a="from .b import g\ndef f(x): return g(x)",
        b="from .a import f\ndef g(x): return f(x)\nN = g(3)",
        main="import torch\nfrom .a import f\nfrom .b import N\nx = f(torch.zeros(2))\ny = N",
    )
    assert value(main) == "Unknown"
    assert value(main, "y") == "Unknown"


# -- the same each time ---------------------------------------------------------------------------


def test_a_file_that_changes_is_read_anew(tmp_path):
    main = package(tmp_path, main="from .helpers import wide\nx = wide(2)")
    assert value(main) == (2, 8)
    helpers = main.with_name("helpers.py")
    helpers.write_text(helpers.read_text().replace("WIDTH = 8", "WIDTH = 9"))
    assert value(main) == (2, 9)


def test_what_one_file_does_to_a_module_is_not_seen_by_the_next(tmp_path):
    other = "from .helpers import Mixer\nSHARED = Mixer(3)"
    first = """
        import torch
        from .other import SHARED
        SHARED.weight = torch.zeros(7)
        x = SHARED.weight
    """
    package(
        tmp_path, other=other, first=first, second="from .other import SHARED\nx = SHARED.weight"
    )
    shapes = [value(tmp_path / "pkg" / f"{name}.py") for name in ("second", "first", "second")]
    assert shapes == [(3, 3), (7,), (3, 3)]


def test_results_do_not_depend_on_what_is_kept(tmp_path, monkeypatch):
    main = """
        import torch
        from .helpers import Mixer, multiply, wide
        from .other import right
        def f(n):
            x = wide(n)
            y = Mixer(8).mix(x)
            return right(y) @ multiply(y, torch.zeros(7, 2))
    """
    main = package(tmp_path, other=WRONG, main=main)
    first = checked(main)
    assert checked(main) == first
    monkeypatch.setattr(outline, "_MOST_OUTLINES", 0)
    monkeypatch.setattr(outline, "_MOST_PARSED", 0)
    assert checked(main) == first


def test_what_makes_objects_ready_is_run_where_it_may_change_them(tmp_path):
    helpers = """
        from dataclasses import dataclass

        @dataclass
        class Pair:
            first: object = None
            second: object = None

            def __post_init__(self):
                if self.second is None:
                    self.second = self.first
    """
    code = """
        import torch
        from helpers import Pair

        one = Pair(torch.ones(2, 3), torch.ones(3, 4))
        other = Pair(torch.ones(5, 6), torch.ones(6, 7))
        half = Pair(torch.ones(8, 9))
        other.first @ other.second
        one.second @ other.second
        half.second @ torch.ones(9, 1)
        half.second @ torch.ones(8, 1)
    """
    write(tmp_path, {"helpers.py": helpers, "main.py": code})
    path = str(tmp_path / "main.py")
    data = (tmp_path / "main.py").read_bytes()
    assert [each.line for each in check_source(data, path, Settings()).findings] == [9, 11]
    tracer = make_tracer(load(data, path), Settings())
    tracer.run_module()
    assert len(tracer.evidence.ledger.left_alone) == 1
