"""Suppressions: which findings a comment silences, and what is said of one that silences none."""

import pytest

from attncheck.edits import apply_edits
from attncheck.finding import Finding, Span
from attncheck.source import load
from attncheck.suppress import apply, find

ENABLED = frozenset({"ATN101", "ATN102", "ATN901"})
NAMES = {"ATN101": "matmul-mismatch", "ATN102": "transposed-operand", "ATN201": "outer-broadcast"}


def finding(code, line):
    return Finding(code, NAMES[code], "error", "x.py", Span(line, 1, line, 2), "", "")


def judge(text, *found, enabled=ENABLED):
    """The findings that are left, as (code, line), and the reports about comments."""
    source = load(text.encode(), "x.py")
    kept, unused = apply([finding(*each) for each in found], source, "x.py", enabled)
    return [(each.code, each.line) for each in kept], unused


def fixed(text, reports):
    """The text with every report's fix applied."""
    return apply_edits(text.encode(), [each.fix.edits[0] for each in reports]).decode()


@pytest.mark.parametrize(
    ("text", "silenced"),
    [
        ("x = 1  # attncheck: ignore[matmul-mismatch] because\n", True),
        ("x = 1  # attncheck: ignore[ATN101]\n", True),
        ("x = 1  # attncheck: ignore[atn101, transposed-operand]\n", True),
        ("x = 1  # attncheck: ignore\n", True),
        ("x = 1  #attncheck:ignore\n", True),
        ("x = 1  # attncheck: Ignore [ATN101]: because\n", True),
        ("x = 1  # noqa: E501 # attncheck: ignore[ATN101]\n", True),
        ("x = 1  # attncheck: ignore[transposed-operand]\n", False),
        ("x = '# attncheck: ignore'\n", False),
        ("x = 1  # attncheck: ignored\n", False),
        ("x = 1  # attncheck: ignore = (T, d)\n", False),
        ("x = 1\ny = 2  # attncheck: ignore\n", False),
    ],
)
def test_a_line(text, silenced):
    kept, _ = judge(text, ("ATN101", 1))
    assert kept == ([] if silenced else [("ATN101", 1)])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = f(\n    a,\n    b,\n)  # attncheck: ignore\n", 1),
        ("x = f(\n    a,  # attncheck: ignore\n    b,\n)\n", 3),
        ("# attncheck: ignore\nx = 1\n", 2),
        ("if x:\n    # attncheck: ignore\n\n    # more\n    y = f(\n        1)\n", 6),
        ("def f(\n    a,\n):  # attncheck: ignore\n    return a\n", 2),
        ("x = '''\na\n'''  # attncheck: ignore\n", 2),
    ],
)
def test_a_logical_line(text, line):
    assert judge(text, ("ATN101", line)) == ([], ())


def test_a_block_is_not_a_line():
    text = "def f():  # attncheck: ignore\n    return 1\n"
    kept, unused = judge(text, ("ATN101", 2))
    assert kept == [("ATN101", 2)]
    assert [each.message for each in unused] == ["`ignore` suppresses nothing"]


class TestWholeFile:
    @pytest.mark.parametrize(
        "text",
        [
            "# attncheck: ignore-file\nx = 1\ny = 2\n",
            "#!/usr/bin/python\n'''Doc.'''\n# attncheck: ignore-file[ATN101]\n\nx = 1\ny = 2\n",
        ],
    )
    def test_at_the_top(self, text):
        assert judge(text, ("ATN101", 2), ("ATN101", 5)) == ([], ())

    def test_names_rules(self):
        text = "# attncheck: ignore-file[ATN101]\nx = 1\n"
        assert judge(text, ("ATN101", 2), ("ATN102", 2)) == ([("ATN102", 2)], ())

    def test_further_down_is_of_no_use(self):
        text = "x = 1\n# attncheck: ignore-file\ny = 2\n"
        kept, (report,) = judge(text, ("ATN101", 3))
        assert kept == [("ATN101", 3)]
        assert report.message == "`ignore-file` counts only before the first statement"
        assert report.fix is None


class TestUnused:
    @pytest.mark.parametrize(
        ("text", "message", "result"),
        [
            (
                "x = 1  # attncheck: ignore[matmul-mismatch] why\n",
                "`ignore[matmul-mismatch]` suppresses nothing",
                "x = 1\n",
            ),
            ("x = 1 # attncheck: ignore", "`ignore` suppresses nothing", "x = 1"),
            (
                "    # attncheck: ignore\nx = 1\n",
                "`ignore` suppresses nothing",
                "x = 1\n",
            ),
            (
                "# attncheck: ignore-file[ATN102]\nx = 1\n",
                "`ignore-file[ATN102]` suppresses nothing",
                "x = 1\n",
            ),
            ("x = 1  # attncheck: ignore[]\n", "`ignore[]` names no rule", "x = 1\n"),
            (
                "x = 1  # attncheck: ignore[transposed-operant]\n",
                "`transposed-operant` is no rule; did you mean `transposed-operand`?",
                "x = 1\n",
            ),
            ("x = 1  # attncheck: ignore[qqq]\n", "`qqq` is no rule", "x = 1\n"),
            (
                "x = 1  # noqa # attncheck: ignore[ATN102] no # type: int\n",
                "`ignore[ATN102]` suppresses nothing",
                "x = 1  # noqa # type: int\n",
            ),
            ("x = 1\n# attncheck: ignore", "`ignore` suppresses nothing", "x = 1\n"),
        ],
    )
    def test_wholly(self, text, message, result):
        kept, (report,) = judge(text)
        assert kept == []
        assert (report.code, report.name, report.severity) == (
            "ATN901",
            "unused-suppression",
            "warning",
        )
        assert report.message == message
        assert report.fix.applicability == "safe"
        assert fixed(text, [report]) == result

    def test_in_part(self):
        text = "x = 1  # attncheck: ignore[ATN101, ATN102, foo] why\n"
        kept, (report,) = judge(text, ("ATN101", 1))
        assert kept == []
        assert report.message == "`foo` is no rule; `ignore[ATN102]` suppresses nothing"
        assert report.fix.line == "x = 1  # attncheck: ignore[ATN101] why"
        assert fixed(text, [report]) == report.fix.line + "\n"

    def test_place(self):
        _, (report,) = judge("x = 'é'  # attncheck: ignore[ATN102] why\n")
        assert report.span == Span(1, 10, 1, 41)

    def test_of_a_rule_that_did_not_run_is_not_judged(self):
        text = "x = 1  # attncheck: ignore[outer-broadcast]\n"
        assert judge(text) == ([], ())
        assert len(judge(text, enabled=ENABLED | {"ATN201"})[1]) == 1

    def test_is_not_reported_where_the_rule_is_off(self):
        text = "x = 1  # attncheck: ignore\n"
        assert judge(text, enabled=frozenset({"ATN101"})) == ([], ())

    def test_can_be_suppressed_by_name_alone(self):
        text = "x = 1  # attncheck: ignore[ATN102, unused-suppression]\n"
        assert judge(text) == ([], ())
        assert len(judge("x = 1  # attncheck: ignore[ATN102]\n")[1]) == 1


class TestWrittenWrongly:
    @pytest.mark.parametrize(
        ("comment", "message"),
        [
            ("ingore[ATN101] why", "`ingore` is no instruction; did you mean `ignore`?"),
            ("ignores", "`ignores` is no instruction; did you mean `ignore`?"),
            ("ignore-fil", "`ignore-fil` is no instruction; did you mean `ignore-file`?"),
            ("ignore[ATN101 why", "`ignore[` is never closed"),
        ],
    )
    def test_silences_nothing_and_is_told(self, comment, message):
        kept, (report,) = judge(f"x = 1  # attncheck: {comment}\n", ("ATN101", 1))
        assert kept == [("ATN101", 1)]
        assert (report.code, report.message, report.fix) == ("ATN901", message, None)
        assert report.span.column == 8

    @pytest.mark.parametrize(
        "comment", ["x = (T, d)", "f.x = (T,)", "ignored = (T,)", "states (T, d)", "see below"]
    )
    def test_what_is_about_something_else_is_not_judged(self, comment):
        assert judge(f"x = 1  # attncheck: {comment}\n") == ([], ())

    @pytest.mark.parametrize("reason", ["ATN101", "matmul-mismatch, as in the paper"])
    def test_a_rule_without_brackets_is_told(self, reason):
        kept, (report,) = judge(f"x = 1  # attncheck: ignore {reason}\n", ("ATN101", 1))
        assert kept == []
        name = reason.partition(",")[0]
        assert report.message == f"`ignore` silences every rule; `ignore[{name}]` silences that one"

    def test_a_family_is_no_rule(self):
        kept, (report,) = judge("x = 1  # attncheck: ignore[ATN1]\n", ("ATN101", 1))
        assert kept == [("ATN101", 1)]
        assert report.message == "`ATN1` is no rule; name each one that is meant"


def test_newer_grammar_does_not_matter():
    text = 'type X = int\nx = f"{y["a"]}"  # attncheck: ignore\n'
    assert [each.lines for each in find(text)] == [range(2, 3)]


def test_without_a_mark_nothing_is_read(monkeypatch):
    monkeypatch.setattr("tokenize.generate_tokens", None)
    assert judge("x = 1  # ignore\n", ("ATN101", 1)) == ([("ATN101", 1)], ())
