"""What is printed: exact text, exact JSON, the closing line, the exit code."""

import io
import json
from dataclasses import replace

import pytest

from attncheck.engine import Coverage, FileResult, ShapeRow
from attncheck.finding import Finding, Refused, Span, TraceStep
from attncheck.report import (
    Run,
    closing_line,
    concise,
    exit_code,
    json_,
    margin,
    printable,
    statistics,
)
from attncheck.report import shape_text as shape
from attncheck.report import text as full

from .samples import ATTENTION, TRANSPOSED

LINES = ATTENTION.split("\n")


def no_lines(path):
    return []


def run_of(*findings, status="checked", reason=None, coverage=None):
    return Run((FileResult("attn.py", status, reason, findings, coverage or Coverage()),))


def rendered(*findings, source=LINES, width=None):
    return full.plain(full.render(run_of(*findings), lambda path: source, width))


def plain_finding(line, column, end_line, end_column, message="m", severity="error"):
    span = Span(line, column, end_line, end_column)
    return Finding("ATN101", "matmul-mismatch", severity, "a.py", span, "", message)


class TestFullText:
    def test_a_finding(self):
        assert rendered(TRANSPOSED) == (
            "attn.py:7:21: ATN102 transposed-operand: "
            "`encoder_states @ U_a` contracts d_h with d_attn\n"
            "       7 | projected_enc = encoder_states @ U_a\n"
            "         |                 ^^^^^^^^^^^^^^^^^^^^\n"
            "  tensor   U_a: (d_attn, d_h)  from its role in tanh(W_a s + U_a h), line 5\n"
            "  should   (d_h, d_attn) as used here, so that "
            "(T_enc, d_h) @ (d_h, d_attn) = (T_enc, d_attn)\n"
            "  fix      projected_enc = encoder_states @ U_a.T\n"
            "  assert   assert projected_enc.shape == (T_enc, d_attn)\n"
            "  trace    encoder_states (T_enc, d_h) · U_a (d_attn, d_h) · projected_dec (d_attn,)\n"
            "  refused  projected_enc = U_a * 2  (broadcasts (d_attn,) over (T_enc, d_h))\n"
            "\n"
        )

    def test_on_a_narrow_terminal(self):
        assert rendered(TRANSPOSED, width=50) == (
            "attn.py:7:21: ATN102 transposed-operand: "
            "`encoder_states @ U_a` contracts d_h with d_attn\n"
            "       7 | projected_enc = encoder_states @ U_a\n"
            "         |                 ^^^^^^^^^^^^^^^^^^^^\n"
            "  tensor   U_a: (d_attn, d_h)  from its role in\n"
            "           tanh(W_a s + U_a h), line 5\n"
            "  should   (d_h, d_attn) as used here, so that\n"
            "           (T_enc, d_h) @ (d_h, d_attn) =\n"
            "           (T_enc, d_attn)\n"
            "  fix      projected_enc = encoder_states @ U_a.T\n"
            "  assert   assert projected_enc.shape ==\n"
            "           (T_enc, d_attn)\n"
            "  trace    encoder_states (T_enc, d_h) · U_a\n"
            "           (d_attn, d_h) · projected_dec (d_attn,)\n"
            "  refused  projected_enc = U_a * 2  (broadcasts\n"
            "           (d_attn,) over (T_enc, d_h))\n"
            "\n"
        )

    def test_without_a_fix_the_refusals_are_shown_all_the_same(self):
        finding = replace(
            TRANSPOSED,
            fix=None,
            refused=(Refused("x = y", "broadcasts"),),
            severity="warning",
            regression=(),
            trace=(TraceStep(1, "x", None, "code"),),
            tensor=replace(TRANSPOSED.tensor, shape=None, decided_at=None, origin=""),
            expected=replace(TRANSPOSED.expected, shape=None, derivation="a vector"),
        )
        assert rendered(finding, source=[]) == (
            "attn.py:7:21: ATN102 transposed-operand: "
            "`encoder_states @ U_a` contracts d_h with d_attn [warning]\n"
            "  tensor   U_a: ?\n"
            "  should   a vector\n"
            "  fix      no one-line change was found that holds when traced\n"
            "  trace    x ?\n"
            "  refused  x = y  (broadcasts)\n"
            "\n"
        )

    def test_a_fix_that_wants_a_decision_says_so(self):
        fix = replace(TRANSPOSED.fix, applicability="unsafe")
        text = rendered(replace(TRANSPOSED, fix=fix))
        row = "  fix      projected_enc = encoder_states @ U_a.T  (unsafe: transpose U_a)\n"
        assert row in text

    def test_findings_stand_in_the_order_of_the_file(self):
        text = rendered(plain_finding(3, 1, 3, 2, "b"), plain_finding(1, 1, 1, 2, "a"), source=[])
        assert text == (
            "a.py:1:1: ATN101 matmul-mismatch: a\n\na.py:3:1: ATN101 matmul-mismatch: b\n\n"
        )

    @pytest.mark.parametrize(
        ("line", "span", "shown", "carets"),
        [
            ("\t\tx = a @ b", (1, 7, 1, 12), "x = a @ b", "    ^^^^^"),
            ("x =\ta @ b", (1, 5, 1, 10), "x =    a @ b", "       ^^^^^"),
            ("s = '日本' + x", (1, 12, 1, 13), "s = '日本' + x", "             ^"),
            ("e = 'e\u0301' + x", (1, 12, 1, 13), "e = 'e\u0301' + x", "          ^"),
            ("x = f(", (1, 5, 3, 2), "x = f(", "    ^^"),
            ("x = (1))", (1, 8, 1, 9), "x = (1))", "       ^"),
            ("x", (1, 2, 1, 3), "x", " ^"),
        ],
    )
    def test_the_caret_stands_under_what_is_meant(self, line, span, shown, carets):
        text = rendered(plain_finding(*span), source=[line])
        assert text.split("\n")[1:3] == [f"       1 | {shown}", f"         | {carets}"]

    @pytest.mark.parametrize(
        ("column", "shown"),
        [
            (5, "x = 0+1+2+3+4+5+6+7+8+9+ …"),
            (201, "… +4+5+6+7+8+9+0+1+2+3+4+ …"),
        ],
    )
    def test_a_long_line_is_cut_around_it(self, column, shown):
        line = "x = " + "0+1+2+3+4+5+6+7+8+9+" * 20
        text = rendered(plain_finding(1, column, 1, column + 3), source=[line], width=40)
        source, carets = text.split("\n")[1:3]
        assert len(source) <= 41
        start = carets.index("^")
        assert carets[start:] == "^^^"
        assert source[start : start + 3] == line[column - 1 : column + 2]

    def test_a_line_that_is_all_finding_is_cut_too(self):
        text = rendered(plain_finding(1, 1, 1, 301), source=["x" * 300], width=50)
        assert text.split("\n")[1] == "       1 | " + "x" * 37 + " …"

    def test_without_the_source_there_is_no_snippet(self):
        text = rendered(plain_finding(9, 1, 9, 2), source=["x"])
        assert text == "a.py:9:1: ATN101 matmul-mismatch: m\n\n"

    def test_nothing_commands_the_terminal(self):
        evil = "\x1b[31m\x07\u202e\x9b2J\ud800"
        finding = replace(
            TRANSPOSED,
            path=f"{evil}.py",
            message=evil,
            tensor=replace(TRANSPOSED.tensor, name=evil, origin=evil),
            expected=replace(TRANSPOSED.expected, derivation=evil),
            fix=replace(TRANSPOSED.fix, line=evil),
            refused=(Refused(evil, evil),),
            regression=(evil,),
            trace=(TraceStep(1, evil, (evil,), "code"),),
        )
        source = [evil] * 9
        for text in (
            rendered(finding, source=source),
            full.plain(concise.render(run_of(finding), no_lines)),
            json_.render(run_of(finding), no_lines),
            closing_line(run_of(coverage=Coverage(1, 1, 1, ((evil, 1),)))),
            full.plain(
                margin.render([ShapeRow("x", 1, 1, 1, 1, "", evil, evil, (evil,))], source, None)
            ),
        ):
            assert all(char == "\n" or char.isprintable() for char in text)

    def test_in_colour_it_reads_the_same(self):
        stream = io.StringIO()
        lines = list(full.render(run_of(TRANSPOSED), lambda path: LINES))
        full.show(lines, stream)
        coloured = stream.getvalue()
        assert "\x1b[1;31mATN102 \x1b[0m" in coloured
        import re

        stripped = re.sub(r"\x1b\[[\d;]*m", "", coloured)
        assert [line.rstrip() for line in stripped.splitlines()] == full.plain(lines).splitlines()


def test_concise():
    findings = (TRANSPOSED, plain_finding(9, 2, 9, 3, "a\nb", "note"))
    assert full.plain(concise.render(run_of(*findings), no_lines)) == (
        "attn.py:7:21: ATN102 transposed-operand: "
        "`encoder_states @ U_a` contracts d_h with d_attn\n"
        "a.py:9:2: ATN101 matmul-mismatch: a\\nb [note]\n"
    )


class TestJson:
    def test_is_that_of_the_specification(self):
        data = json_.render(run_of(TRANSPOSED), no_lines)
        assert json.loads(data) == {
            "schema": 1,
            "tool": {"name": "attncheck", "version": "0.1.0"},
            "files": [{"path": "attn.py", "status": "checked", "reason": None}],
            "findings": [
                {
                    "code": "ATN102",
                    "name": "transposed-operand",
                    "severity": "error",
                    "path": "attn.py",
                    "line": 7,
                    "column": 21,
                    "end_line": 7,
                    "end_column": 41,
                    "function": "additive_attention",
                    "message": "`encoder_states @ U_a` contracts d_h with d_attn",
                    "tensor": {
                        "name": "U_a",
                        "shape": ["d_attn", "d_h"],
                        "decided_at": {"line": 5, "by": "role"},
                    },
                    "expected": {
                        "shape": ["d_h", "d_attn"],
                        "derivation": "as used here, so that "
                        "(T_enc, d_h) @ (d_h, d_attn) = (T_enc, d_attn)",
                    },
                    "fix": {
                        "line": "projected_enc = encoder_states @ U_a.T",
                        "description": "transpose U_a",
                        "applicability": "safe",
                        "edits": [
                            {
                                "line": 7,
                                "column": 38,
                                "end_line": 7,
                                "end_column": 41,
                                "text": "U_a.T",
                            }
                        ],
                        "refused": [
                            {
                                "line": "projected_enc = U_a * 2",
                                "reason": "broadcasts (d_attn,) over (T_enc, d_h)",
                            }
                        ],
                    },
                    "refused": [
                        {
                            "line": "projected_enc = U_a * 2",
                            "reason": "broadcasts (d_attn,) over (T_enc, d_h)",
                        }
                    ],
                    "regression": ["assert projected_enc.shape == (T_enc, d_attn)"],
                    "trace": [
                        {
                            "line": 7,
                            "expression": "encoder_states",
                            "shape": ["T_enc", "d_h"],
                            "by": "role",
                        },
                        {
                            "line": 7,
                            "expression": "U_a",
                            "shape": ["d_attn", "d_h"],
                            "by": "role",
                        },
                        {
                            "line": 5,
                            "expression": "projected_dec",
                            "shape": ["d_attn"],
                            "by": "code",
                        },
                    ],
                }
            ],
        }

    def test_keys_stand_in_order(self):
        data = json.loads(json_.render(run_of(TRANSPOSED), no_lines))
        assert list(data) == ["schema", "tool", "files", "findings"]
        (finding,) = data["findings"]
        assert list(finding) == [
            *("code", "name", "severity", "path", "line", "column", "end_line", "end_column"),
            *("function", "message", "tensor", "expected", "fix", "refused", "regression"),
            "trace",
        ]
        assert list(finding["fix"]) == ["line", "description", "applicability", "edits", "refused"]

    def test_numbers_unknowns_and_nothing(self):
        finding = replace(
            TRANSPOSED,
            tensor=replace(TRANSPOSED.tensor, shape=(2, "?", "2*d_h"), decided_at=None),
            expected=replace(TRANSPOSED.expected, shape=None),
            fix=None,
            trace=(),
        )
        (data,) = json.loads(json_.render(run_of(finding), no_lines))["findings"]
        assert data["tensor"] == {"name": "U_a", "shape": [2, "?", "2*d_h"], "decided_at": None}
        assert data["expected"]["shape"] is None
        assert data["fix"] is None
        bare = json.loads(json_.render(run_of(plain_finding(1, 1, 1, 2)), no_lines))["findings"][0]
        assert (bare["tensor"], bare["expected"], bare["trace"]) == (None, None, [])

    def test_every_file_is_listed(self):
        run = replace(
            run_of(status="failed", reason="no"),
            skipped=(("b.ipynb", "notebook"),),
            problems=(("c", "no such file or folder"),),
        )
        assert json.loads(json_.render(run, no_lines))["files"] == [
            {"path": "attn.py", "status": "failed", "reason": "no"},
            {"path": "b.ipynb", "status": "skipped", "reason": "notebook"},
            {"path": "c", "status": "failed", "reason": "no such file or folder"},
        ]

    def test_shapes(self):
        row = ShapeRow("a.py", 1, 2, 3, 4, "f", "return", "x @ y", ("T", 3))
        rows = [row, replace(row, shape=None)]
        first = {
            "path": "a.py",
            "line": 1,
            "column": 2,
            "end_line": 3,
            "end_column": 4,
            "function": "f",
            "name": "return",
            "expression": "x @ y",
            "shape": ["T", 3],
        }
        data = json.loads(json_.render_shapes(rows))
        assert data == {"shapes": [first, first | {"shape": None}]}
        assert list(data["shapes"][0]) == list(first)


def result(status, reason=None, findings=(), coverage=None):
    return FileResult("x.py", status, reason, tuple(findings), coverage or Coverage())


NOTE = plain_finding(1, 1, 1, 2, severity="note")
WARNING = plain_finding(1, 1, 1, 2, severity="warning")
ERROR = plain_finding(1, 1, 1, 2)
SKIPPED = result("skipped", "no tensor code")
CLOSING = [
    (
        Run(
            (
                result(
                    "checked",
                    findings=[ERROR, WARNING],
                    coverage=Coverage(10, 90, 84, (("flash_attn_func", 1),)),
                ),
                result("checked", coverage=Coverage(4, 10, 9, (("flash_attn_func", 1),))),
                result("checked"),
                SKIPPED,
                result("failed", "no", [ERROR]),
            )
        ),
        "checked 3 files (1 skipped: no tensor code; 1 not parsed): 2 errors, 1 warning. "
        "14 functions, 93% of tensor values have a known shape; "
        "2 calls not modelled: `flash_attn_func`",
        2,
    ),
    (Run((result("checked"),)), "checked 1 file: no findings", 0),
    (Run((result("checked", findings=[NOTE]),)), "checked 1 file: 1 note", 0),
    (Run((result("checked", findings=[WARNING]),)), "checked 1 file: 1 warning", 1),
    (
        Run((SKIPPED, SKIPPED), (("a.ipynb", "notebook"),)),
        "checked 0 files (2 skipped: no tensor code; 1 skipped: notebook): nothing was checked",
        0,
    ),
    (
        Run((result("checked", coverage=Coverage(1)),), remarks=("1 finding fixed", "a\x1bb")),
        "checked 1 file: no findings. 1 finding fixed. a\\x1bb. 1 function",
        0,
    ),
    (
        Run((result("checked"),), problems=(("x", "no such file or folder"),)),
        "checked 1 file (1 not parsed): no findings",
        2,
    ),
    (
        Run((result("checked", coverage=Coverage(1, 200, 199)),)),
        "checked 1 file: no findings. 1 function, 99% of tensor values have a known shape",
        0,
    ),
    (
        Run((result("checked", coverage=Coverage(2)),)),
        "checked 1 file: no findings. 2 functions",
        0,
    ),
    (
        Run(
            (
                result(
                    "checked",
                    coverage=Coverage(1, 1, 1, (("a", 1), ("b", 2), ("c", 1), ("d", 1), ("e", 1))),
                ),
            )
        ),
        "checked 1 file: no findings. 1 function, 100% of tensor values have a known shape; "
        "6 calls not modelled: `b`, `a`, `c` and 2 more",
        0,
    ),
]


@pytest.mark.parametrize(("run", "line", "code"), CLOSING, ids=[line for _, line, _ in CLOSING])
def test_closing_line_and_exit_code(run, line, code):
    assert closing_line(run) == line
    assert exit_code(run) == code
    assert exit_code(run, exit_zero=True) == (2 if code == 2 else 0)


def test_statistics():
    run = run_of(TRANSPOSED, ERROR, ERROR)
    assert statistics(run) == [
        "    2  matmul-mismatch (ATN101)",
        "    1  transposed-operand (ATN102)",
    ]


def test_shapes_as_text():
    assert shape(None) == "?"
    assert shape(()) == "()"
    assert shape(("T",)) == "(T,)"
    assert shape(("B", 3, "?")) == "(B, 3, ?)"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("αβ · 日本", "αβ · 日本"),
        ("a\tb\n", "a\\tb\\n"),
        ("\x1b]8;;x\x07", "\\x1b]8;;x\\x07"),
        ("\u2028\u200b\udcff", "\\u2028\\u200b\\udcff"),
    ],
)
def test_printable(text, shown):
    assert printable(text) == shown
