"""Bytes to trees: what is refused and with which words, where nodes stand, how edits are made."""

import hashlib
import sys
import sysconfig
from itertools import pairwise
from pathlib import Path

import libcst
import pytest
from hypothesis import given
from hypothesis import strategies as st
from libcst.metadata import MetadataWrapper, PositionProvider

from attncheck.edits import apply_edits
from attncheck.finding import Edit, Span
from attncheck.source import (
    MAX_BYTES,
    SourceError,
    Text,
    check_syntax,
    decode,
    load,
    mentions_tensors,
)
from attncheck.tree.pairs import inner, pairs, parts


def refusal(data):
    """Message, line and column of the error that a file gives."""
    with pytest.raises(SourceError) as caught:
        load(data, "x.py")
    error = caught.value
    assert "\n" not in error.message
    return error.message, error.line, error.column


class TestDecoding:
    @pytest.mark.parametrize(
        ("data", "text", "encoding"),
        [
            (b"x = 1\n", "x = 1\n", "utf-8"),
            ("x = 'é'\n".encode(), "x = 'é'\n", "utf-8"),
            (b"\xef\xbb\xbfx = 1\r\n", "x = 1\r\n", "utf-8-sig"),
            (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", None, "iso-8859-1"),
            (b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n", None, "cp1252"),
            (b"", "", "utf-8"),
        ],
    )
    def test_reads(self, data, text, encoding):
        found, name = decode(data)
        assert name == encoding
        assert found == (text if text is not None else data.decode(encoding))
        source = load(data, "x.py")
        assert source.code(source.module) == found

    def test_a_coding_comment_counts_in_the_first_two_lines_only(self):
        data = b"x = 1\ny = 2\n# coding: latin-1\n"
        assert decode(data)[1] == "utf-8"

    @pytest.mark.parametrize(
        ("data", "message", "line"),
        [
            (
                b"x = 1\ny = '\xe9'\n",
                "byte 0xe9 on line 2 is not utf-8 and no coding comment names another encoding",
                2,
            ),
            (b"# coding: ascii\r\ny = '\xe9'\r\n", "byte 0xe9 on line 2 is not ascii", 2),
            (b"# coding: klingon\n", "unknown encoding: klingon", 1),
            (b"# coding: rot13\nx = 1\n", "cannot be decoded as rot13", 1),
            (
                b"# coding: unicode_escape\nx = '\\ud800'\n",
                "cannot be decoded as unicode_escape",
                1,
            ),
            (
                "x = 1".encode("utf-16"),
                "byte 0xff on line 1 is not utf-8 and no coding comment names another encoding",
                1,
            ),
        ],
    )
    def test_refuses(self, data, message, line):
        assert refusal(data)[:2] == (message, line)

    def test_refuses_a_nul(self):
        message = "holds a NUL character, so it is no Python source"
        assert refusal(b"x = 1\ny = '\0'\n") == (message, 2, 6)

    def test_refuses_a_large_file(self):
        data = b"x = 1\n" * 2_000_000
        assert refusal(data) == ("too large: 12.0 MB, and no more than 1 MB are read", 1, 1)
        assert decode(b"#" * MAX_BYTES)[1] == "utf-8"


class TestSyntax:
    @pytest.mark.parametrize(
        ("text", "place"),
        [
            ("def f():\n    x = (1))\n", ("unmatched ')'", 2, 12)),
            ("x = (1\ny = 2\n", ("'(' was never closed", 1, 5)),
            ("if 1:\r\nx\r\n", ("expected an indented block after 'if' statement on line 1", 2, 1)),
            ("a = 1\rb = 2)\r", ("unmatched ')'", 2, 6)),
            ("é = 'é' )\n", ("unmatched ')'", 1, 9)),
        ],
    )
    def test_says_what_python_says(self, text, place):
        assert refusal(text.encode()) == place

    def test_keeps_the_line_for_the_caret(self):
        with pytest.raises(SourceError) as caught:
            load(b"x = 1\n    y = 2\n", "x.py")
        assert caught.value.text == "    y = 2"

    def test_can_be_checked_without_a_tree(self):
        with pytest.raises(SourceError, match="unmatched"):
            check_syntax(Text("x.py", "x = 1)\n", "utf-8"))
        check_syntax(Text("x.py", "x = 1\n", "utf-8"))
        check_syntax(Text("x.py", HOSTILE["sums"](800), "utf-8"))
        with pytest.raises(SourceError, match="brackets nested more than 100 deep"):
            check_syntax(Text("x.py", HOSTILE["square brackets"](5000), "utf-8"))

    def test_warns_of_nothing(self, recwarn):
        load(b"x = '\\d'\nassert (x, 'y')\n", "x.py")
        assert not list(recwarn)

    @pytest.mark.parametrize(
        "text",
        [
            "type Pair = tuple[int, int]\n",
            "def first[T](items: list[T]) -> T: ...\n",
            "class Box[T]: ...\n",
            "x = f'{\"a\" + 'b'}'\n",
        ],
    )
    def test_reads_what_only_newer_interpreters_do(self, text):
        source = load(text.encode(), "x.py")
        assert source.code(source.module) == text

    @pytest.mark.skipif(sys.version_info >= (3, 12), reason="the message is the older parser's")
    def test_a_wrong_line_that_looks_newer_gets_pythons_message(self):
        assert refusal(b'x = f"{a b}"\n')[0].startswith("f-string: invalid syntax")


HOSTILE = {
    "round brackets": lambda n: "x = " + "(" * n + "1" + ")" * n,
    "square brackets": lambda n: "x = " + "[" * n + "1" + "]" * n,
    "braces": lambda n: "x = " + "{1:" * n + "1" + "}" * n,
    "nested calls": lambda n: "x = " + "f(" * n + "1" + ")" * n,
    "chained calls": lambda n: "x = a" + ".b()" * n,
    "chained indices": lambda n: "x = a" + "[0]" * n,
    "sums": lambda n: "x = 1" + " + 1" * n,
    "powers": lambda n: "x = 1" + " ** 1" * n,
    "not": lambda n: "x = " + "not " * n + "1",
    "signs": lambda n: "x = " + "-" * n + "1",
    "lambdas": lambda n: "x = " + "lambda: " * n + "1",
    "conditions": lambda n: "x = " + "1 if 1 else " * n + "1",
    "elif": lambda n: "if 1: pass\n" + "elif 1: pass\n" * n,
    "strings": lambda n: "x = " + "'a' " * n,
    "comprehension": lambda n: "x = [1 " + "for a in b " * n + "]",
    "comparisons": lambda n: "x = 1" + " < 1" * n,
    "targets": lambda n: "x = " + "y = " * n + "1",
    "arguments": lambda n: "print(" + "a, " * n + ")",
    "decorators": lambda n: "@a\n" * n + "def f(): pass\n",
    "statements": lambda n: "x;" * n,
    "blocks": lambda n: "".join(" " * i + "if 1:\n" for i in range(n)) + " " * n + "pass\n",
}
FLAT = {"comparisons", "targets", "arguments", "decorators", "statements"}


class TestNesting:
    @pytest.mark.parametrize("shape", HOSTILE)
    @pytest.mark.parametrize("count", [1000, 5000, 20_000])
    def test_what_would_kill_libcst_is_one_line(self, shape, count):
        data = HOSTILE[shape](count)[:MAX_BYTES].encode()
        if shape in FLAT:
            assert load(data, "x.py").text
        else:
            message, _, _ = refusal(data)
            assert len(message) < 120

    @pytest.mark.parametrize("shape", HOSTILE)
    def test_what_people_write_is_read_and_placed(self, shape):
        source = load(HOSTILE[shape](60).encode(), "x.py")
        assert source.code(source.module) == source.text

    def test_many_deep_expressions_are_as_bad_as_one(self):
        line = "x = " + "f(" * 60 + "1" + ")" * 60 + "\n"
        assert load(line.encode(), "x.py").lines[1] == ""
        message = "too many deeply nested expressions, which is more than can be parsed safely"
        assert refusal((line * 500).encode())[0] == message

    def test_data_is_not_nesting(self):
        table = "[" + ", ".join(f"[{i}, -{i}.5, 'a' 'b']" for i in range(20_000)) + "]\n"
        assert load(f"x = {table}".encode(), "x.py").text

    def test_says_where(self):
        text = "x = 1\ny = (\n" + "[" * 150 + "]" * 150 + ")\n"
        message = "brackets nested more than 100 deep, which is more than can be parsed safely"
        assert refusal(text.encode()) == (message, 3, 100)


def real_files(count):
    """Real Python files, the same ones each time: the standard library's and libcst's."""
    roots = [Path(sysconfig.get_paths()["stdlib"]), Path(libcst.__file__).parent]
    files = [
        file
        for root in roots
        for file in root.rglob("*.py")
        if "site-packages" not in file.relative_to(root).parts and file.stat().st_size < 40_000
    ]
    return sorted(files, key=lambda file: hashlib.sha1(file.name.encode()).hexdigest())[:count]


def spans_agree(source):
    """Whether every node stands where libcst's own provider says; the number of nodes."""
    parsed = libcst.parse_module(source.text)
    places = MetadataWrapper(parsed, unsafe_skip_copy=True).resolve(PositionProvider)
    last = len(source.lines)
    both = [(made, places[node]) for made, node in pairs(source.module, parsed) if node in places]
    for node, place in both:
        if place.end.line > last:
            continue  # the line break that a file without a last one does not have
        span = source.span(node)
        assert (span.line, span.column - 1) == (place.start.line, place.start.column), node
        assert (span.end_line, span.end_column - 1) == (place.end.line, place.end.column), node
    return len(both)


class TestPositions:
    @pytest.mark.parametrize("file", real_files(60), ids=lambda file: file.name)
    def test_agree_with_libcst_on_real_files(self, file):
        try:
            source = load(file.read_bytes(), str(file))
        except SourceError:
            pytest.skip("a test file of Python's that is broken on purpose")
        spans_agree(source)

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "\n",
            "x",
            "x = 1",
            "x = 1\r\ny = '''a\r\nb'''\r\n",
            "def f():\n\tx = 'é'; y = '\N{GRINNING FACE}' + x\n\n# end",
            "if x:\n  y\n # odd\n  z\n#d",
            "x = (1 +\n     2)  # c\n",
            "a = 1\rb = 2",
        ],
    )
    def test_agree_with_libcst_on_odd_layouts(self, text):
        assert spans_agree(load(text.encode(), "x.py")) > 0

    @pytest.mark.parametrize(
        "text",
        [
            "\fx = 1\ny = 2\n",
            "x = 1\n\fy = 2\n",
            "if 1:\n    x = 1\n  \f    y = 2\n",
            "x = 1\n\n\f\ny = 2\n",
        ],
    )
    def test_form_feeds_move_nothing(self, text):
        source = load(text.encode(), "x.py")
        names = [
            source.code(statement.body[0].targets[0].target)
            for block in source.module.body
            for statement in getattr(getattr(block, "body", None), "body", [block])
        ]
        assert "".join(names).strip("xy") == ""
        assert names[-1] == "y"

    def test_counts_code_points_after_a_byte_order_mark(self):
        source = load("\ufeff'é\N{GRINNING FACE}' + x\n".encode(), "x.py")
        name = source.module.body[0].body[0].value.right
        assert source.span(name) == Span(1, 8, 1, 9)
        assert source.code(name) == "x"
        assert source.position(source.offset(1, 8)) == (1, 8)

    def test_a_strange_node_is_a_key_error(self):
        with pytest.raises(KeyError):
            load(b"x\n", "x.py").span(libcst.Name("x"))


class TestEdits:
    @pytest.mark.parametrize(
        ("data", "edit", "result"),
        [
            (b"a = 1\r\nb = 2\r\n", (2, 5, 2, 6, "3"), b"a = 1\r\nb = 3\r\n"),
            (b"a = 1\r\nb = 2\r\n", (2, 1, 2, 1, "c\n"), b"a = 1\r\nc\r\nb = 2\r\n"),
            (b"\xef\xbb\xbfa = 1\n", (1, 1, 1, 2, "b"), b"\xef\xbb\xbfb = 1\n"),
            (
                b"# coding: latin-1\nx = '\xe9' + a\n",
                (2, 11, 2, 12, "\xf8"),
                b"# coding: latin-1\nx = '\xe9' + \xf8\n",
            ),
            (b"if x:\n\ty = 1  \n", (2, 2, 2, 3, "z"), b"if x:\n\tz = 1  \n"),
            (b"\x0cx = 1\n", (1, 6, 1, 7, "2"), b"\x0cx = 2\n"),
            ("'é' + x".encode(), (1, 7, 1, 8, "x.T"), "'é' + x.T".encode()),
            (b"a\n# c\nb\n", (2, 1, 3, 1, ""), b"a\nb\n"),
        ],
    )
    def test_change_nothing_else(self, data, edit, result):
        *span, text = edit
        assert apply_edits(data, [Edit(Span(*span), text)]) == result

    @given(
        lines=st.lists(st.text("ab é\tλ", max_size=8), min_size=1, max_size=6),
        newline=st.sampled_from(["\n", "\r\n", "\r"]),
        cuts=st.lists(st.integers(0, 30), min_size=4, max_size=4),
        new=st.text("xy", max_size=3),
    )
    def test_are_slices_of_the_text(self, lines, newline, cuts, new):
        text = newline.join(lines)
        places = [
            (number, column)
            for number, line in enumerate(lines, 1)
            for column in range(1, len(line) + 2)
        ]
        ordered = sorted(places[cut % len(places)] for cut in cuts)
        edits = [
            Edit(Span(*ordered[0], *ordered[1]), new),
            Edit(Span(*ordered[2], *ordered[3]), new),
        ]

        def offset(place):
            before = lines[: place[0] - 1]
            return sum(len(line) + len(newline) for line in before) + place[1] - 1

        a, b, c, d = map(offset, ordered)
        expected = text[:a] + new + text[b:c] + new + text[d:]
        assert apply_edits(text.encode(), edits[::-1]).decode() == expected

    def test_must_not_overlap(self):
        edits = [Edit(Span(1, 1, 1, 4), "a"), Edit(Span(1, 3, 1, 5), "b")]
        with pytest.raises(ValueError, match="edits overlap on line 1"):
            apply_edits(b"x = 1\n", edits)

    def test_must_fit_the_encoding(self):
        with pytest.raises(SourceError, match="iso-8859-1 has no character 'α', which the edit"):
            apply_edits(b"# coding: latin-1\nx\n", [Edit(Span(2, 1, 2, 2), "α")])


@pytest.mark.parametrize(
    ("data", "verdict"),
    [
        (b"", False),
        (b"import os\nprint('tensor')\n", False),
        (b"import numpy as np\n", True),
        (b"from torch import nn\n", True),
        (b"try:\n    import jax.numpy as jnp\nexcept ImportError:\n    pass\n", True),
        (b"# attncheck: q = (T, d)\n", True),
        (b"from scipy.special import softmax\n", True),
        (b"import keras\n", True),
    ],
)
def test_prefilter(data, verdict):
    assert mentions_tensors(data) is verdict


def test_what_stands_around_a_node_is_known_of_every_node_of_the_file():
    code = (
        "@decorated(1)\nclass A:\n    def f(self, x=lambda y: y):\n        return [z for z in x]\n"
    )
    source = load(code.encode(), "x.py")
    for node in parts(source.module):
        way = source.around(node)
        assert (way[0], way[-1]) == (source.module, node)
        assert all(inside in inner(outside) for outside, inside in pairwise(way))
    other = load(code.encode(), "x.py")
    assert source.around(other.module.body[0]) == ()
    assert not source.has(other.module.body[0])
    with pytest.raises(KeyError):
        source.span(other.module.body[0])
