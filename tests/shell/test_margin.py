"""What `attncheck shapes` prints for a person, to the column."""

import io
import re

import pytest

from attncheck.engine import ShapeRow, trace_shapes
from attncheck.report import margin, text
from attncheck.settings import Settings


def row(line, name, shape, otherwise="?"):
    return ShapeRow("a.py", line, 1, line, 2, "f", name, name, shape, otherwise)


def rendered(rows, source, width=None):
    """The lines of a file's source, without the closing line."""
    lines = text.plain(margin.render(rows, source, width)).split("\n")
    assert lines[-3] == ""
    return lines[:-3]


def closing(*rows):
    return text.plain(margin.render(rows, [""] * 9, None)).split("\n")[-2]


ATTENTION = ["def f(q, k):", "    s = q @ k.T", "", "    return s  # scores", ""]
ROWS = [
    row(1, "q", ("T_dec", "d_k")),
    row(1, "k", ("T_enc", "d_k")),
    row(2, "s", ("T_dec", "T_enc")),
    row(2, "s", ("T_dec", "T_enc")),
    row(4, "return", None),
]


def test_beside_the_source():
    assert rendered(ROWS, ATTENTION) == [
        "1 | def f(q, k):            q (T_dec, d_k); k (T_enc, d_k)",
        "2 |     s = q @ k.T         s (T_dec, T_enc)",
        "3 |",
        "4 |     return s  # scores  return ?",
    ]


def test_names_of_one_shape_are_said_together():
    rows = [row(1, name, ("B", "T")) for name in "qkv"]
    rows.insert(2, row(1, "m", ("T",)))
    assert rendered(rows, ["q, k, m, v = f(x)"]) == [
        "1 | q, k, m, v = f(x)  q, k, v (B, T); m (T,)"
    ]


def test_what_does_not_fit_goes_on_below():
    source = ["def f(q, k, v): pass"]
    rows = [row(1, name, (name.upper(), "T_enc", "d_k")) for name in "qkv"]
    assert rendered(rows, source, 60) == [
        "1 | def f(q, k, v): pass  q (Q, T_enc, d_k)",
        "  |                       k (K, T_enc, d_k)",
        "  |                       v (V, T_enc, d_k)",
    ]
    assert rendered(rows, source, 72) == [
        "1 | def f(q, k, v): pass  q (Q, T_enc, d_k); k (K, T_enc, d_k)",
        "  |                       v (V, T_enc, d_k)",
    ]


def test_beside_code_that_leaves_no_room_it_stands_below():
    source = ["x = 1", "y = first_function(second_function(x))"]
    rows = [row(1, "x", ("B", "T")), row(2, "y", ("B", "T"))]
    assert rendered(rows, source, 48) == [
        "1 | x = 1                               x (B, T)",
        "2 | y = first_function(second_function(x))",
        "  |                                     y (B, T)",
    ]


def test_a_shape_that_the_margin_has_no_room_for_ends_at_the_edge():
    source = ["y = first_function(second_function(x))"]
    shape = ("batch_size", "n_heads", "T_dec", "T_enc")
    assert rendered([row(1, "y", shape)], source, 46) == [
        "1 | y = first_function(second_function(x))",
        "  |      y (batch_size, n_heads, T_dec, T_enc)",
    ]
    assert len(rendered([row(1, "y", shape)], source, 46)[1]) == 46


def test_a_shape_that_would_pass_the_edge_starts_further_left():
    source = ["x = a_function_of(y)", "key = y"]
    rows = [row(1, "x", ("B", "T")), row(2, "key", ("B", "heads", "T_enc", "d"))]
    assert rendered(rows, source, 42) == [
        "1 | x = a_function_of(y)  x (B, T)",
        "2 | key = y       key (B, heads, T_enc, d)",
    ]


def test_code_too_long_for_the_terminal_goes_on_below():
    source = ["    x = rearrange(tensor, 'b n (h d) -> b h n d', h=heads)"]
    assert rendered([row(1, "x", ("B", "n"))], source, 44) == [
        "1 |     x = rearrange(tensor, 'b n (h d) ->",
        "  |         b h n d', h=heads)  x (B, n)",
    ]


def test_one_long_line_pushes_only_its_own_shape():
    source = [f"x{i} = f()" for i in range(10)] + ["y = " + "f(" * 20]
    rows = [row(i + 1, f"x{i}", ("B",)) for i in range(10)] + [row(11, "y", ("T",))]
    lines = rendered(rows, source)
    assert lines[0] == " 1 | x0 = f()  x0 (B,)"
    assert lines[9] == "10 | x9 = f()  x9 (B,)"
    assert lines[10] == "11 | y = " + "f(" * 20 + "  y (T,)"


@pytest.mark.parametrize("width", [20, 40, 60, 80, 100, 140])
def test_nothing_is_wider_than_the_terminal_and_no_code_is_lost(width):
    source = ["def attend(query, key, value, mask=None):", "    return softmax(query @ key.T) @ v"]
    rows = [row(1, name, ("B", name)) for name in ("query", "key", "value")]
    rows.append(row(2, "return", ("B", "T", "d")))
    lines = rendered(rows, source, width)
    assert max(map(len, lines)) <= width
    words = re.sub(r"\s|^[ \d]+\|", "", "".join(re.sub(r"^ *\d* \|", "", line) for line in lines))
    for line in source:
        for word in line.split():
            assert word in words


def test_wide_characters_take_two_columns():
    source = ["x = f('日本')", "y = f('ab')"]
    rows = [row(1, "x", ("B",)), row(2, "y", ("B",))]
    assert rendered(rows, source) == [
        "1 | x = f('日本')  x (B,)",
        "2 | y = f('ab')    y (B,)",
    ]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([], "no tensors"),
        ([row(1, "n", None, None), row(1, "d", None, "= 2*h")], "no tensors"),
        ([row(1, "x", ("B",)), row(2, "y", ())], "2 of 2 shapes known"),
        (
            [row(1, "x", ("B",)), row(2, "y", ("B", "?")), row(3, "z", None, "(..., d)")],
            "1 of 3 shapes known, 2 in part",
        ),
        ([row(1, "x", None), row(2, "y", ("?",))], "0 of 2 shapes known, 1 in part, 1 not (?)"),
    ],
)
def test_the_closing_line(rows, said):
    assert closing(*rows) == said


def test_unknown_sizes_stand_out():
    rows = [row(1, "x", ("B", "?")), row(1, "y", None, "(..., d)"), row(1, "d", None, "= 2*h")]
    stream = io.StringIO()
    text.show(margin.render(rows, ["x, y, d = f()"], None), stream)
    assert stream.getvalue().split("\n")[0] == (
        "\x1b[2m1 | \x1b[0mx, y, d = f()  x \x1b[36m(B, \x1b[0m\x1b[1;33m?\x1b[0m\x1b[36m)\x1b[0m;"
        " y \x1b[36m(\x1b[0m\x1b[1;33m...\x1b[0m\x1b[36m, d)\x1b[0m; d \x1b[2m= 2*h\x1b[0m"
    )


#: A line of code, and what stands beside it.
BESIDE = [
    ("y = torch.ones(2, 3)", "y (2, 3)"),
    ("y = unknown(x)", "y ?"),
    ("y = torch.nn.functional.linear(x, torch.ones(4, d))", "y (..., 4)"),
    ("y = torch.ones(2, 6).chunk(2, dim=-1)", "y 2 x (2, 3)"),
    ("y = [torch.ones(2), torch.ones(3)]", "y [(2,), (3,)]"),
    ("y = [torch.ones(2) for _ in range(n)]", "y n x (2,)"),
    ("B, T = torch.ones(n, d, 3).shape[:2]", "B = n; T = d"),
    ("y = 2 * n", None),
    ("y = 4", None),
    ("y = d", None),
    ("y = 'text'", None),
    ("y = lambda z: z", None),
    ("y = {'a': 1}", None),
    ("y = torch.nn.Linear(3, 4)", None),
    ("y = torch.ones(d, 2).shape", "y = (d, 2)"),
]


@pytest.mark.parametrize(("line", "beside"), BESIDE)
def test_what_is_said_of_a_value(line, beside):
    source = f"import torch\ndef f(x, n: int, d: int):\n    {line}\n"
    rows = [each for each in trace_shapes(source.encode(), "a.py", Settings()) if each.line == 3]
    lines = rendered(rows, source.split("\n"))
    assert lines[2] == f"3 |     {line}" + (f"  {beside}" if beside else "")


def test_a_line_that_runs_twice_says_what_both_runs_agree_on():
    source = "import torch\nfor n in (2, 3):\n    x = torch.ones(n, 4)\n    y = [x] * n\n"
    rows = trace_shapes(source.encode(), "a.py", Settings())
    lines = rendered(rows, source.split("\n"))
    assert lines[2].endswith("x (?, 4)")
    assert lines[3].endswith("y ?")
