"""Fixes through the real command: what is changed, what is left alone, byte for byte."""

import os
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from attncheck import fixing, mending
from attncheck.engine import Coverage, FileResult
from attncheck.finding import Edit, Finding, FixPart, Span
from attncheck.rewrite import replace_file
from attncheck.runner import Job
from attncheck.settings import Settings

from .conftest import ROOT
from .test_baseline import ONE, TWO

MENDED = ONE.replace("encoder_states @ U_a", "encoder_states @ U_a.T")
UNSAFE = (ROOT / "examples/broken/mask-after-softmax/masked_softmax.py").read_text(encoding="utf-8")


class TestFix:
    def test_safe_fixes_are_made(self, attncheck):
        Path("a.py").write_text(ONE)
        Path("b.py").write_text(TWO)
        done = attncheck("a.py", "b.py", "--fix")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith("checked 2 files: no findings. 3 findings fixed in 2 files. ")
        assert Path("a.py").read_text() == MENDED
        assert Path("b.py").read_text() == TWO.replace("@ U_a\n", "@ U_a.T\n")
        again = attncheck("a.py", "b.py", "--fix")
        assert "0 findings fixed in 0 files" in again.out

    def test_unsafe_ones_only_when_asked(self, attncheck):
        Path("a.py").write_text(UNSAFE)
        done = attncheck("a.py", "--fix")
        assert done.code == 1
        assert "0 findings fixed in 0 files (1 more with --unsafe-fixes). " in done.out
        assert Path("a.py").read_text() == UNSAFE
        done = attncheck("a.py", "--fix", "--unsafe-fixes")
        assert done.code == 0
        assert "1 finding fixed in 1 file. " in done.out
        assert Path("a.py").read_text() != UNSAFE

    def test_what_is_left_is_reported(self, attncheck):
        Path("a.py").write_text(ONE + UNSAFE)
        done = attncheck("a.py", "--fix", "--output-format", "concise")
        assert done.code == 1
        assert [line.split(":")[:2] for line in done.out.splitlines()[:-1]] == [["a.py", "30"]]
        assert Path("a.py").read_text().startswith(MENDED)

    def test_only_selected_rules_are_fixed(self, attncheck):
        Path("a.py").write_text(ONE)
        assert attncheck("a.py", "--fix", "--ignore", "transposed-operand").code == 0
        assert Path("a.py").read_text() == ONE

    def test_suppressed_findings_are_not_and_idle_suppressions_go(self, attncheck):
        line = "    projected_enc = encoder_states @ U_a"
        text = ONE.replace(line, f"{line}  # attncheck: ignore[ATN102] as in the paper")
        Path("a.py").write_text(text)
        assert attncheck("a.py", "--fix").code == 0
        assert Path("a.py").read_text() == text
        Path("a.py").write_text(text.replace("ATN102", "ATN102, ATN301"))
        assert attncheck("a.py", "--fix").code == 0
        assert Path("a.py").read_text() == text

    def test_every_broken_example_is_left_with_no_safe_fix(self, attncheck):
        for place in sorted((ROOT / "examples" / "broken").iterdir()):
            if place.is_dir():
                shutil.copytree(place, place.name)
        before = {path: path.read_bytes() for path in Path().rglob("*.py")}
        patch = attncheck(".", "--diff")
        assert before == {path: path.read_bytes() for path in Path().rglob("*.py")}
        subprocess.run(["git", "init", "-q", "patched"], check=True)
        for path, data in before.items():
            (Path("patched") / path.parent).mkdir(parents=True, exist_ok=True)
            (Path("patched") / path).write_bytes(data)
        subprocess.run(
            ["git", "apply", "-p0", "-"], cwd="patched", input=patch.out.encode(), check=True
        )
        fixed = attncheck(".", "--exclude", "patched", "--fix")
        after = {path: path.read_bytes() for path in before}
        assert sum(after[path] != data for path, data in before.items()) > 10
        # What --diff shows is what --fix does.
        assert after == {path: (Path("patched") / path).read_bytes() for path in before}
        assert "findings fixed in" in fixed.out
        again = attncheck(".", "--exclude", "patched", "--diff")
        assert again.out == ""
        assert again.err.startswith("0 findings would be fixed in 0 files")


class TestFiles:
    @pytest.mark.parametrize(
        "change",
        [
            lambda data: data,
            lambda data: data.replace(b"\n", b"\r\n"),
            lambda data: data.replace(b"\n", b"\r"),
            lambda data: b"\xef\xbb\xbf" + data,
            lambda data: b"# coding: latin-1\n# Andr\xe9\n" + data,
            lambda data: data.rstrip(b"\n"),
            lambda data: b"\x0c" + data,
            lambda data: data.replace(b"\n\n\n", b"\n\r\n\n"),
        ],
        ids=["plain", "crlf", "cr", "mark", "latin", "no-end", "form-feed", "mixed"],
    )
    def test_every_other_byte_stays(self, attncheck, change):
        Path("a.py").write_bytes(change(ONE.encode()))
        done = attncheck("a.py", "--fix")
        assert (done.code, done.err) == (0, "")
        assert Path("a.py").read_bytes() == change(MENDED.encode())

    def test_mode_and_links_stay(self, attncheck):
        Path("real.py").write_text(ONE)
        os.chmod("real.py", 0o750)
        os.symlink("real.py", "link.py")
        assert attncheck("link.py", "--fix").code == 0
        assert os.readlink("link.py") == "real.py"
        assert Path("real.py").read_text() == MENDED
        assert stat.S_IMODE(os.stat("real.py").st_mode) == 0o750
        assert sorted(os.listdir()) == ["link.py", "real.py"]

    def test_one_that_cannot_be_written_is_told_and_spares_the_others(
        self, folder, monkeypatch, capsys
    ):
        from attncheck.cli import run

        Path("a.py").write_text(ONE)
        Path("b.py").write_text(ONE)

        def refuse(path, data):
            if path == "a.py":
                raise PermissionError(13, "Permission denied")
            replace_file(path, data)

        monkeypatch.setattr(mending, "replace_file", refuse)
        assert run(["a.py", "b.py", "--fix", "--output-format", "concise"]) == 2
        out, err = capsys.readouterr()
        assert err == "attncheck: error: a.py: not fixed: cannot be written: Permission denied\n"
        assert out.startswith("a.py:6:21: ATN102 ")
        assert "1 finding fixed in 1 file" in out
        assert (Path("a.py").read_text(), Path("b.py").read_text()) == (ONE, MENDED)

    def test_one_that_changes_meanwhile_is_left_alone(self, folder, monkeypatch, capsys):
        from attncheck.cli import run

        Path("a.py").write_text(ONE)

        def fix(*arguments, **options):
            fixed = fixing.fix(*arguments, **options)
            Path("a.py").write_text("# other\n")
            return fixed

        monkeypatch.setattr(mending, "fix", fix)
        assert run(["a.py", "--fix"]) == 2
        err = capsys.readouterr().err
        assert err == "attncheck: error: a.py: not fixed: it was changed while it was checked\n"
        assert Path("a.py").read_text() == "# other\n"

    def test_standard_input_goes_through(self, attncheck):
        done = attncheck("-", "--fix", stdin=ONE.encode())
        assert (done.code, done.out) == (0, MENDED)
        assert done.err.startswith("checked 1 file: no findings. 1 finding fixed in 1 file. ")
        done = attncheck("-", "--fix", stdin=b"x = 1\n")
        assert (done.code, done.out) == (0, "x = 1\n")
        done = attncheck("-", "--diff", "--stdin-filename", "a.py", stdin=ONE.encode())
        assert done.code == 1
        assert done.out.startswith("--- a.py\n+++ a.py\n@@ ")


class TestReplaceFile:
    def test_a_failure_leaves_nothing_behind(self, folder, monkeypatch):
        Path("a").write_text("old")
        monkeypatch.setattr(os, "replace", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            replace_file("a", b"new")
        assert os.listdir() == ["a"]
        assert Path("a").read_text() == "old"

    def test_a_file_that_may_not_be_written(self, folder, monkeypatch):
        Path("a").write_text("old")
        monkeypatch.setattr(os, "access", lambda *_: False)
        with pytest.raises(PermissionError):
            replace_file("a", b"new")
        assert Path("a").read_text() == "old"

    def test_a_new_file_has_the_usual_mode(self, folder):
        before = os.umask(0o027)
        try:
            replace_file("a", b"new")
        finally:
            os.umask(before)
        assert stat.S_IMODE(os.stat("a").st_mode) == 0o640


class TestDiff:
    def test_nothing_is_written(self, attncheck):
        Path("a.py").write_text(ONE)
        done = attncheck("a.py", "--diff")
        assert done.code == 1
        assert done.out == (
            "--- a.py\n+++ a.py\n@@ -3,5 +3,5 @@\n \n"
            " def scores(decoder_state, encoder_states, W_a, U_a, v_a):\n"
            "     projected_dec = W_a @ decoder_state\n"
            "-    projected_enc = encoder_states @ U_a\n"
            "+    projected_enc = encoder_states @ U_a.T\n"
            "     return np.tanh(projected_dec + projected_enc) @ v_a\n"
        )
        assert done.err == "1 finding would be fixed in 1 file\n"
        assert Path("a.py").read_text() == ONE
        assert attncheck("a.py", "--diff", "--quiet").err == ""
        assert attncheck("a.py", "--diff", "--exit-zero").code == 0

    def test_into_a_file(self, attncheck):
        Path("a.py").write_text(ONE)
        done = attncheck("a.py", "--diff", "--output-file", "a.patch", "--color", "always")
        assert (done.code, done.out) == (1, "")
        subprocess.run(["git", "apply", "-p0", "a.patch"], check=True)
        assert Path("a.py").read_text() == MENDED

    def test_line_endings_and_a_missing_one(self, attncheck):
        lines = ONE.rstrip("\n").replace("\n", "\r\n").encode()
        Path("a.py").write_bytes(lines)
        attncheck("a.py", "--diff", "--output-file", "a.patch")
        assert Path("a.patch").read_bytes().endswith(b"\n\\ No newline at end of file\n")
        subprocess.run(["git", "apply", "-p0", "a.patch"], check=True)
        assert Path("a.py").read_bytes() == lines.replace(b"@ U_a\r", b"@ U_a.T\r")

    def test_in_colour(self, attncheck):
        Path("a.py").write_text(ONE)
        out = attncheck("a.py", "--diff", "--color", "always").out
        assert "\x1b[32m+    projected_enc = encoder_states @ U_a.T\x1b[0m" in out

    def test_nothing_commands_the_terminal(self, attncheck):
        text = ONE.replace(
            "    projected_dec", "    s = '\x1b[31m\u202e\x07'\t# \x0c\n    projected_dec"
        )
        Path("a\x1b.py").write_text(text)
        done = attncheck("a\x1b.py", "--diff")
        assert "+    projected_enc" in done.out
        assert all(char in "\n\t" or char.isprintable() for char in done.out + done.err)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--fix", "--diff"], "--fix makes changes, --diff shows them: choose one"),
        (["--unsafe-fixes"], "--unsafe-fixes goes with --fix or --diff"),
        (
            ["--diff", "--output-format", "json"],
            "--diff takes the place of a report: leave out --output-format and --statistics",
        ),
        (
            ["--diff", "--statistics"],
            "--diff takes the place of a report: leave out --output-format and --statistics",
        ),
        (["--write-baseline"], "--write-baseline has to know where: add --baseline FILE"),
        (
            ["--write-baseline", "--baseline", "x", "--fix"],
            "--write-baseline excludes --fix and --diff",
        ),
    ],
)
def test_options_that_do_not_go_together(attncheck, arguments, message):
    done = attncheck("a.py", *arguments)
    assert (done.code, done.out, done.err) == (2, "", f"attncheck: error: {message}\n")


def number_of(text):
    """A pretended check: each letter of the file but `o` is a finding whose fix makes it one."""

    def finding(column, char):
        span = Span(1, column, 1, column + 1)
        edits = tuple(RULES[char](span))
        fix = FixPart("", "", "safe", edits)
        return Finding(f"ATN{ord(char):03}", char, "error", "x", span, "", "", fix=fix)

    found = [finding(column, char) for column, char in enumerate(text, 1) if char in RULES]
    return FileResult("x", "checked", None, tuple(found), Coverage())


RULES = {
    "a": lambda span: [Edit(span, "o")],
    # Replaces the letter after it as well.
    "b": lambda span: [Edit(Span(1, span.column, 1, span.end_column + 1), "oo")],
    # Brings a finding of another kind.
    "c": lambda span: [Edit(span, "a")],
    # Changes nothing.
    "d": lambda span: [Edit(span, "d")],
    # Needs a character that the file's encoding does not have.
    "e": lambda span: [Edit(span, "\u20ac")],
}


@pytest.mark.parametrize(
    ("text", "after", "count"),
    [
        ("axa", "oxo", 2),
        ("aa", "oo", 2),
        ("bx", "oo", 1),
        ("ba", "oo", 2),
        ("bba", "ooo", 3),
        ("c", "c", 0),
        ("cxa", "cxo", 1),
        ("d", "d", 0),
        ("dxaxd", "dxoxd", 1),
        ("cxdxaxb-", "cxdxoxoo", 2),
        ("exa", "exo", 1),
    ],
)
def test_steps(text, after, count):
    checks = []

    def check_file(job):
        checks.append(job.data)
        line = job.data.decode("latin-1").split("\n")[1]
        result = number_of(line)
        moved = tuple(moved_down(finding) for finding in result.findings)
        return FileResult("x", "checked", None, moved, Coverage())

    head = b"# coding: latin-1\n"
    fixed = fixing.fix(
        Job("x", Settings()),
        head + text.encode(),
        lambda found, lines: found,
        check_file,
        unsafe=False,
    )
    assert fixed.after == head + after.encode()
    assert fixed.count == count
    assert len(checks) < 20


def moved_down(finding):
    def down(span):
        return Span(2, span.column, 2, span.end_column)

    edits = tuple(Edit(down(edit.span), edit.text) for edit in finding.fix.edits)
    fix = FixPart("", "", "safe", edits)
    return Finding(finding.code, finding.name, "error", "x", down(finding.span), "", "", fix=fix)


def test_it_ends():
    """Even where each fix makes room for the next."""

    def check(job):
        return number_of(job.data.decode())

    def first(found, lines):
        return found[:1]

    fixed = fixing.fix(Job("x", Settings()), b"a" * 400, first, check, unsafe=False)
    assert 0 < fixed.count < 400


def test_a_notebook_is_not_touched():
    result = number_of("a")
    assert mending._has_fixes(result, unsafe=False)
    notebook = FileResult("x.ipynb", "checked", None, result.findings, Coverage())
    assert not mending._has_fixes(notebook, unsafe=False)


def test_a_check_between_two_fixes_has_the_limit_of_a_file(folder, monkeypatch):
    from attncheck import runner

    limits = []

    class Checker(runner.Checker):
        def __init__(self, limit, keys):
            limits.append(limit)
            super().__init__(limit, keys)

    monkeypatch.setattr(mending, "Checker", Checker)
    from attncheck.cli import run

    Path("a.py").write_text(ONE)
    assert run(["a.py", "--fix", "--timeout", "7", "--quiet", "--no-cache"]) == 0
    assert limits == [7.0]
