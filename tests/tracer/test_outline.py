"""Outlines and skeletons: the same statements, names and methods as in CPython's own tree."""

import ast
import itertools
from pathlib import Path

import libcst as cst
import pytest
from hypothesis import given
from hypothesis import strategies as st

import attncheck
from attncheck.outline import Outline, Target
from attncheck.skeleton import SHORT, skeleton
from attncheck.tracer.classes import replaced
from attncheck.tracer.functions import is_generator

SOURCES = sorted(Path(attncheck.__file__).parent.rglob("*.py"))[::4]
TESTS = sorted(Path(__file__).parents[1].rglob("*.py"))[::4]
every_file = pytest.mark.parametrize("path", [*SOURCES, *TESTS], ids=lambda path: path.name)

#: Pieces that may stand one after the other, with all that can look like the start of a statement.
PIECES = (
    "x = 1\n",
    '"""text\nx = 2\n"""\n',
    "'''it's\ndef no(): pass\n'''\n",
    "y = \"a ''' b\"  # ''' c\n",
    '# """ isn\'t one\n',
    "z = '\\'\\'\\'' + \"\\\"\\\"\\\"\"\n",
    'w = """a\\"""\nclass No: pass\n"""\n',
    "v = 'a \\\nno = 1'\n",
    "u = 1 + \\\n2\n",
    "def f(a, b='#'):\n    '''doc\nreturn\n'''\n    return a\n",
    "@staticmethod\n@len\nclass C(object):\n    a = 1\n\n    # b\n\n",
    "async def g():\n    pass\n",
    "if x:\n    p = 1\nelif x > 1:\n    q = 2\nelse:\n    r = 3\n",
    "try:\n    import one.two\nexcept ImportError as e:\n    pass\nfinally:\n    s = 4\n",
    "for i in x: j = i\nelse: k = 1\n",
    "from .a import b as c, d\n",
    "h = (\n1,\n)\n",
    't = r"\\\\"\n',
    "m = f'''{x}\nimport no\n'''\n",
    "\n",
)


def outline(text):
    return Outline(text.encode(), text)


#: Expressions with names of their own.
_SCOPES = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def own_names(tree):
    """The names that the statements of a module bind: not those of functions and classes in it."""
    names, waiting = set(), [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
            continue
        if isinstance(
            node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
        ):
            continue  # what these bind is theirs; the samples have no ``:=`` inside them
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.alias) and node.name != "*":
            names.add(node.asname or node.name.split(".")[0])
        elif isinstance(node, ast.ExceptHandler) and node.name:
            names.add(node.name)
        waiting += ast.iter_child_nodes(node)
    return names


def check(text):
    found = outline(text)
    assert "".join(part.text for part in found.parts) == text
    counts = [len(ast.parse(part.text).body) for part in found.parts]
    assert sum(counts) == len(ast.parse(text).body)
    main = next((p.text for p in found.parts if p.text.startswith("if __name__ ==")), "")
    assert own_names(ast.parse(text.replace(main, "") if main else text)) <= set(found.by_name)
    for part in found.parts:
        if part.defines:
            (name,) = part.names
            assert name in own_names(ast.parse(part.text))


@every_file
def test_a_file_is_cut_into_its_statements(path):
    check(path.read_text(encoding="utf-8"))


@given(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), st.booleans())
def test_strings_comments_and_joined_lines_are_passed_over(text, windows):
    text = text.replace("\n", "\r\n") if windows else text
    check(text)


def test_each_kind_of_piece_is_a_statement_of_its_own():
    text = "".join(PIECES)
    starts = [part.text.split("\n")[0] for part in outline(text).parts]
    assert {"def f(a, b='#'):", "@staticmethod", "async def g():", "if x:", "try:"} <= set(starts)
    assert not any(start.startswith(("else", "elif", "except", "no", "class")) for start in starts)


@pytest.mark.parametrize(
    ("text", "name", "target"),
    [
        ("import a.b", "a", Target(0, "a")),
        ("import a.b as c", "c", Target(0, "a.b")),
        ("from ..a import b as c", "c", Target(2, "a", "b")),
        ("from . import b", "b", Target(1, "", "b")),
        ("if x:\n    from a import b\nelse:\n    from a import b", "b", Target(0, "a", "b")),
        ("try:\n    from a import b\nexcept ImportError:\n    b = None", "b", None),
        ("from a import b\nfrom c import b", "b", None),
        ("from a import b\nb.x = 1", "b", None),
        ("def b(): pass", "b", None),
    ],
)
def test_what_a_name_is_imported_from(text, name, target):
    assert outline(text).alias(name) == target


@pytest.mark.parametrize(
    ("head", "returns"),
    [
        ("def f(a) -> bool:", "bool"),
        ("def f(\n    a: int = (1),\n    b=len(''),\n) -> str:  # why", "str"),
        ("def f() -> tuple[bool]:", None),
        ("def f():", None),
        ("@a(b)\ndef f(x=lambda y: (y)) -> int:", "int"),
    ],
)
def test_the_annotation_of_what_a_function_returns(head, returns):
    (part,) = outline(f"{head}\n    def g() -> bool:\n        pass\n").parts
    found = part.returns
    assert found == returns if returns else found not in ("bool", "str")


# -- skeletons ------------------------------------------------------------------------------------

CLASSES = [
    (path, node.name, ast.get_source_segment(text, node))
    for path in [*SOURCES, *TESTS]
    for text in [path.read_text(encoding="utf-8")]
    for node in ast.parse(text).body
    if isinstance(node, ast.ClassDef) and len(ast.get_source_segment(text, node)) >= SHORT
]

LONG = (
    '''
@dataclass
class Long(Base, metaclass=Meta):
    """Its docstring."""

    field: int = 3

    def one(self): return self.line

    @property
    def two(this, a, *,
            b: int = 2) -> None:
        # first
        r"""Doc of
        two."""
        this.x, (this.y, z) = 1, (2, 3)
        if a:
            this.reset(b)
            this.w: int = this.reset()

            def inner():
                this.no = 1
        return b

    # before three
    async def three(self):
        value = yield self
        self.v += 1

    class Inner:
        def four(self):
            self.u = 1

    def five():
        pass
'''
    + "    # padding\n" * (SHORT // 10)
)


@pytest.mark.parametrize(
    "text",
    [LONG, LONG.replace("\n", "\r\n"), *(text for _, _, text in CLASSES)],
    ids=["long", "windows", *(name for _, name, _ in CLASSES)],
)
def test_a_skeleton_says_the_same_of_its_methods(text):
    cut = skeleton(text.lstrip())
    whole, left = (
        next(each for each in cst.parse_module(code).body if isinstance(each, cst.ClassDef))
        for code in (text, cut.text)
    )
    assert set(replaced(left)) == set(replaced(whole))
    assert len(left.body.body) == len(whole.body.body)
    methods = [
        [each for each in made.body.body if isinstance(each, cst.FunctionDef)]
        for made in (whole, left)
    ]
    for real, short, body in zip(*methods, cut.methods, strict=True):
        assert cst.Module([]).code_for_node(real.params) == cst.Module([]).code_for_node(
            short.params
        )
        assert real.name.value == short.name.value
        assert len(real.decorators) == len(short.decorators)
        assert is_generator(real) == is_generator(short)
        assert real.get_docstring() == short.get_docstring()
        if body is None:
            assert real.body.deep_equals(short.body)
        else:
            (again,) = cst.parse_module(f"class _:\n{body}").body[0].body.body
            assert [type(s) for s in again.body.body] == [type(s) for s in real.body.body]


def test_bodies_are_left_out():
    cut = skeleton(LONG.lstrip())
    assert "inner" not in cut.text
    assert [body is not None for body in cut.methods] == [False, True, True, True]


@pytest.mark.parametrize(
    "text", ["class A:\n    pass\n", LONG.replace("(self)", "(self"), "x" * SHORT]
)
def test_what_has_no_skeleton(text):
    assert skeleton(text) is None


def test_there_are_classes_to_look_at():
    assert len(list(itertools.islice(CLASSES, 10))) == 10
