"""The command line as a user meets it: hostile input, exit codes, one line for each mistake."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from attncheck import cli, commands, runner, session, work
from attncheck.engine import Coverage, FileResult, ShapeRow
from attncheck.settings import Choice

from .samples import ATTENTION, TRANSPOSED

BROKEN = "import numpy as np\n\n\ndef f(x):\n    return np.dot(x, x))\n"


def fake_check(data, path, settings, named=True):
    """The specification's finding in every file that holds its code."""
    if b"numpy" not in data:
        return FileResult(path, "skipped", "no tensor code", (), Coverage())
    findings = (TRANSPOSED,) if b"U_a" in data else ()
    return FileResult(path, "checked", None, findings, Coverage(1, 10, 9, (("np.flip", 1),)))


def fake_shapes(data, path, settings):
    row = ShapeRow(path, 5, 5, 5, 18, "additive_attention", "projected_dec", "projected_dec", None)
    return [] if b"U_a" not in data else [row]


@pytest.fixture
def run(folder, monkeypatch, capsys):
    """Runs a command line here, with an engine that knows one finding."""
    monkeypatch.setattr(runner, "check_source", fake_check)
    monkeypatch.setattr(runner, "trace_shapes", fake_shapes)
    # What a stand-in for the engine says is not to be found again by the next one.
    monkeypatch.setattr(session, "_cache", lambda options: None)
    Path("attn.py").write_text(ATTENTION)
    Path("clean.py").write_text("import numpy as np\n")
    Path("plain.py").write_text("x = 1\n")

    def run(*arguments):
        code = cli.run([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


COVERED = "1 function, 90% of tensor values have a known shape; 1 call not modelled: `np.flip`"


class TestCheck:
    def test_clean(self, run):
        assert run("clean.py") == (0, f"checked 1 file: no findings. {COVERED}\n", "")

    def test_findings(self, run):
        code, out, err = run("attn.py", "plain.py")
        assert (code, err) == (1, "")
        first, *_, last = out.splitlines()
        assert first.startswith("attn.py:7:21: ATN102 transposed-operand: `encoder_states @ U_a`")
        assert last == f"checked 1 file (1 skipped: no tensor code): 1 error. {COVERED}"

    @pytest.mark.parametrize("arguments", [["check", "clean.py"], ["clean.py", "--color", "never"]])
    def test_the_command_need_not_be_named(self, run, arguments):
        assert run(*arguments)[:2] == (0, f"checked 1 file: no findings. {COVERED}\n")

    def test_a_path_that_is_called_like_a_command(self, run):
        Path("rules").mkdir()
        Path("rules/clean.py").write_text("import numpy\n")
        for arguments in (["check", "rules"], ["rules/"], ["./rules"], ["--quiet", "rules"]):
            assert run(*arguments)[0] == 0, arguments

    def test_concise_and_statistics(self, run):
        code, out, _ = run("attn.py", "--output-format", "concise", "--statistics")
        assert code == 1
        assert out.splitlines() == [
            "attn.py:7:21: ATN102 transposed-operand: "
            "`encoder_states @ U_a` contracts d_h with d_attn",
            "    1  transposed-operand (ATN102)",
            f"checked 1 file: 1 error. {COVERED}",
        ]

    def test_quiet(self, run):
        assert run("--quiet", "clean.py") == (0, "", "")

    def test_exit_zero(self, run):
        assert run("--exit-zero", "attn.py")[0] == 0
        assert run("--exit-zero", "attn.py", "nope.py")[0] == 2

    def test_json_stands_alone(self, run):
        code, out, err = run("attn.py", "nope.py", "--output-format", "json", "--statistics")
        assert code == 2
        assert err == (
            "attncheck: error: nope.py: no such file or folder\n"
            "    1  transposed-operand (ATN102)\n"
        )
        data = json.loads(out)
        assert [each["status"] for each in data["files"]] == ["checked", "failed"]
        assert [each["code"] for each in data["findings"]] == ["ATN102"]

    def test_output_file(self, run):
        closing = f"checked 1 file: 1 error. {COVERED}\n"
        code, out, err = run("attn.py", "--output-file", "out.json", "--output-format", "json")
        assert (code, out, err) == (1, closing, "")
        assert json.loads(Path("out.json").read_text())["schema"] == 1
        code, out, err = run("attn.py", "--output-file", "out.txt", "--statistics")
        assert (code, err) == (1, "")
        assert out == f"    1  transposed-operand (ATN102)\n{closing}"
        assert Path("out.txt").read_text().endswith(f"\n\n{out}")
        assert run("attn.py", "--output-file", "out.txt", "--quiet") == (1, "", "")
        code, out, err = run("attn.py", "--output-file", "no/where")
        assert (code, out) == (2, "")
        assert err == "attncheck: error: no/where: cannot be written: No such file or directory\n"

    def test_colour(self, run, monkeypatch):
        assert "\x1b[1;31mATN102" in run("attn.py", "--color", "always")[1]
        assert "\x1b" not in run("attn.py")[1]
        monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
        monkeypatch.setenv("TERM", "xterm")
        assert "\x1b[1;31mATN102" in run("attn.py")[1]
        assert "\x1b" not in run("attn.py", "--color", "never")[1]
        monkeypatch.setenv("NO_COLOR", "1")
        assert "\x1b" not in run("attn.py")[1]
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert "\x1b" not in run("attn.py")[1]

    def test_colour_where_there_is_no_terminal(self, run, monkeypatch):
        monkeypatch.setenv("FORCE_COLOR", "1")
        assert "\x1b[1;31mATN102" in run("attn.py")[1]
        assert "\x1b" not in run("attn.py", "--color", "never")[1]
        run("attn.py", "--output-file", "report.txt")
        assert "\x1b" not in Path("report.txt").read_text()

    def test_codes_are_repeated_or_joined_by_commas(self, run, monkeypatch):
        seen = []

        def check(data, path, settings, named=True):
            seen.append(settings)
            return fake_check(data, path, settings)

        monkeypatch.setattr(runner, "check_source", check)
        run("clean.py", "--select", "ATN101, ATN102", "--select", "ATN901", "--ignore", "ATN102")
        run("clean.py", "--dim", "d_s=3", "--dim", "d_h=d_s", "--tensor", "x=T, d_s")
        assert seen[0].choices == (Choice(("ATN101", "ATN102", "ATN901"), (), ("ATN102",)),)
        assert seen[1].dims == (("d_s", "3"), ("d_h", "d_s"))
        assert seen[1].tensors == (("x", "T, d_s"),)

    def test_the_settings_are_those_of_the_files_folder(self, run, monkeypatch):
        Path("pkg").mkdir()
        Path("pkg/pyproject.toml").write_text('[tool.attncheck]\nconvention = "luong"\n')
        Path("pkg/a.py").write_text("import numpy\n")
        seen = {}

        def check(data, path, settings, named=True):
            seen[path] = settings.convention
            return fake_check(data, path, settings)

        monkeypatch.setattr(runner, "check_source", check)
        run("clean.py", "pkg/a.py")
        run("pkg/a.py", "--no-config", "clean.py")
        assert seen == {"clean.py": None, "pkg/a.py": None}
        run("pkg", "clean.py")
        assert seen == {"clean.py": None, "pkg/a.py": "luong"}

    def test_an_internal_error_spares_the_other_files(self, run, monkeypatch):
        def check(data, path, settings, named=True):
            if path == "clean.py":
                raise KeyError("oh")
            return fake_check(data, path, settings)

        monkeypatch.setattr(runner, "check_source", check)
        code, out, err = run("clean.py", "attn.py", "--output-format", "concise")
        assert (code, err) == (2, "")
        assert "clean.py:1:1: ATN902 file-not-parsed: internal error: KeyError: 'oh'\n" in out
        assert "attn.py:7:21: ATN102" in out

    def test_a_failure_whose_rule_is_off_is_explained(self, run, monkeypatch):
        result = FileResult("clean.py", "failed", "unmatched ')'", (), Coverage())
        monkeypatch.setattr(runner, "check_source", lambda *_, **__: result)
        code, out, err = run("clean.py")
        assert (code, err) == (2, "attncheck: error: clean.py: unmatched ')'\n")
        assert out == "checked 0 files (1 not parsed): nothing was checked\n"


class TestMistakes:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["nope.py"], "nope.py: no such file or folder"),
            (["ruls"], "ruls: no such file or folder; did you mean `rules`?"),
            (["empty"], "empty: no Python file in this folder"),
            (
                ["--select", "FOO", "attn.py"],
                "--select: there is no rule `FOO`; see `attncheck rules`",
            ),
            (
                ["--dim", "d_s=abc", "attn.py"],
                "--dim d_s=abc: expected an integer or an expression over known sizes, not `abc`; "
                "known are T_dec, T_enc, batch_size, d_attn, d_h, d_hidden, d_k, d_model, d_v, "
                "n_heads",
            ),
            (
                ["--config", "x.toml", "attn.py"],
                "x.toml: cannot be read: No such file or directory",
            ),
            (
                ["--config", "x.toml", "--no-config", "attn.py"],
                "--config and --no-config exclude each other",
            ),
            (
                ["explain", "qqq"],
                "there is no rule `qqq`; `attncheck rules` lists them",
            ),
            (
                ["explain", "transposed-operands"],
                "there is no rule `transposed-operands`; did you mean `transposed-operand`?",
            ),
            (["dims", "nope"], "nope: no such file or folder"),
            (["config", "nope"], "nope: no such file or folder"),
            (
                ["config", "--config", "x.toml", "--no-config"],
                "--config and --no-config exclude each other",
            ),
            (
                ["--severity", "ATN102=hint", "attn.py"],
                '--severity ATN102=hint: expected "error", "warning" or "note", not `hint`',
            ),
            (
                ["--per-file-ignores", "ATN102", "attn.py"],
                "--per-file-ignores ATN102: expected PATTERN:RULE, such as tests/*:outer-broadcast",
            ),
        ],
    )
    def test_are_one_line(self, run, arguments, message):
        Path("empty").mkdir()
        assert run(*arguments) == (2, "", f"attncheck: error: {message}\n")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--nope", "attn.py"],
            ["check"],
            ["--output-format", "yaml", "attn.py"],
            ["--jobs", "0", "attn.py"],
            ["--jobs", "many", "attn.py"],
            ["--color", "blue", "attn.py"],
            ["explain"],
            ["explain", "ATN101", "ATN102"],
            ["--select"],
        ],
    )
    def test_of_usage_are_one_line(self, run, arguments):
        code, out, err = run(*arguments)
        assert (code, out) == (2, "")
        assert err.startswith("attncheck: error: ")
        assert err.count("\n") == 1

    def test_no_arguments_are_answered_with_help(self, run):
        code, out, err = run()
        assert (code, err) == (2, "")
        assert out.startswith("Usage: attncheck")
        for command in session.COMMANDS:
            assert f"\n  {command} " in out

    def test_an_error_of_ours_is_one_line(self, run, monkeypatch):
        monkeypatch.setattr(work, "discover", lambda *_, **__: 1 / 0)
        message = "internal error: ZeroDivisionError: division by zero"
        assert run("a.py") == (2, "", f"attncheck: error: {message}\n")
        assert run("a.py", "--quiet") == (2, "", f"attncheck: error: {message}\n")

    def test_an_interrupt_is_one_line(self, run, monkeypatch):
        def interrupt(*_, **__):
            raise KeyboardInterrupt

        monkeypatch.setattr(work, "discover", interrupt)
        assert run("a.py") == (130, "", "attncheck: error: interrupted\n")
        assert run("a.py", "--quiet") == (130, "", "attncheck: error: interrupted\n")


def test_the_commands_are_those_that_are_named():
    assert [each.callback.__name__ for each in commands.app.registered_commands] == list(
        session.COMMANDS
    )


class TestOtherCommands:
    def test_version(self, run):
        assert run("--version") == (0, "attncheck 0.1.0\n", "")

    def test_shapes(self, run):
        code, out, err = run("shapes", "attn.py")
        assert (code, err) == (0, "")
        lines = out.splitlines()
        assert len(lines) == ATTENTION.count("\n") + 2
        assert lines[-2:] == ["", "0 of 1 shapes known, 1 not (?)"]
        assert lines[4] == "5 |     projected_dec = W_a @ decoder_state  projected_dec ?"
        assert lines[0] == "1 | import numpy as np"

    def test_shapes_of_several_files_have_titles(self, run):
        out = run("shapes", "attn.py", "clean.py")[1]
        assert out.splitlines()[-7:] == [
            "",
            "0 of 1 shapes known, 1 not (?)",
            "",
            "clean.py",
            "1 | import numpy as np",
            "",
            "no tensors",
        ]

    @pytest.mark.parametrize(
        ("color", "environment", "coloured"),
        [("always", {"NO_COLOR": "1"}, True), ("auto", {}, False), ("never", {}, False)],
    )
    def test_shapes_in_colour(self, run, monkeypatch, color, environment, coloured):
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        out = run("shapes", "attn.py", "--color", color)[1]
        assert ("projected_dec \x1b[1;33m?\x1b[0m" in out) == coloured
        assert ("\x1b" in out) == coloured

    def test_shapes_as_json(self, run):
        code, out, _ = run("shapes", "attn.py", "--output-format", "json")
        assert code == 0
        assert json.loads(out)["shapes"][0]["name"] == "projected_dec"

    def test_shapes_of_what_cannot_be_read(self, run, monkeypatch):
        from attncheck.source import load

        monkeypatch.setattr(runner, "trace_shapes", lambda data, path, _: load(data, path) and [])
        Path("broken.py").write_text(BROKEN)
        code, out, err = run("shapes", "broken.py", "clean.py")
        assert code == 2
        assert err == "attncheck: error: broken.py: unmatched ')'\n"
        assert out.splitlines() == ["clean.py", "1 | import numpy as np", "", "no tensors"]

    def test_explain(self, run, monkeypatch):
        monkeypatch.setattr("attncheck.pages.page", lambda rule: f"# {rule.name}\n\n*text*\n")
        for name in ("ATN102", "atn102", "transposed-operand"):
            assert run("explain", name) == (0, "# transposed-operand\n\n*text*\n", "")
        coloured = run("explain", "ATN102", "--color", "always")[1]
        assert "\x1b[" in coloured
        assert "*text*" not in coloured
        monkeypatch.setattr("attncheck.pages.page", lambda rule: None)
        code, out, err = run("explain", "ATN902")
        assert (code, out) == (2, "")
        assert err.startswith("attncheck: error: the page of file-not-parsed (ATN902) is missing")

    def test_rules(self, run):
        out = run("rules")[1]
        assert "transposed-operand " in out
        assert re.search(r"^file-not-parsed +ATN902  error    a file that could not be", out, re.M)
        data = json.loads(run("rules", "--output-format", "json")[1])["rules"]
        assert list(data[0]) == ["code", "name", "severity", "finds", "fix", "since", "default"]
        codes = [each["code"] for each in data]
        assert codes == sorted(codes)

    def test_dims(self, run):
        Path("pyproject.toml").write_text("[tool.attncheck.dims]\nd_s = 256\n")
        lines = run("dims", "--dim", "d_h=2*d_hidden", "--tensor", "f.x=T_enc d_h")[1].splitlines()
        rows = [line.split(maxsplit=3) for line in lines]
        assert ["d_s", "256", "pyproject.toml", "size of one decoder state"] in rows
        assert ["f.x", "T_enc", "d_h", "--tensor"] in rows
        assert any(row[:3] == ["d_h", "2*d_hidden", "--dim"] for row in rows)
        data = json.loads(run("dims", "attn.py", "--output-format", "json")[1])["dims"]
        assert {
            "kind": "size",
            "name": "d_s",
            "value": "256",
            "meaning": "size of one decoder state",
            "origin": "pyproject.toml",
        } in data

    def test_config(self, run):
        Path("base.toml").write_text('ignore = ["ATN602"]\n')
        Path("pyproject.toml").write_text(
            '[tool.attncheck]\nextend = "base.toml"\n'
            'per-file-ignores = {"clean*" = ["ATN2"], "*" = ["ATN3"]}\n'
            "[tool.attncheck.dims]\nd_s = 256\n"
        )
        code, out, err = run("config", "clean.py", "--severity", "ATN1=note", "--tensor", "x=T, d")
        assert (code, err) == (0, "")
        settings, rules = out.split("\n\n")[1:]
        lines = [line.split(maxsplit=2) for line in settings.splitlines()]
        assert out.startswith(
            "configuration file: pyproject.toml, which extends base.toml\n\nselect "
        )
        assert lines[0] == ["select", "built", "in        ATN"]
        assert lines[1:5] == [
            ["ignore", "base.toml", "ATN602"],
            ["per-file-ignores.clean*", "pyproject.toml", "ATN2"],
            ["per-file-ignores.*", "pyproject.toml", "ATN3"],
            ["severity.ATN1", "--severity", "note"],
        ]
        assert lines[5][0] == "exclude"
        assert lines[6:] == [
            ["dims.d_s", "pyproject.toml", "256"],
            ["tensors.x", "--tensor", "T, d"],
        ]
        states = {line.split()[1]: line.split()[2] for line in rules.splitlines()[1:]}
        assert (states["ATN102"], states["ATN201"], states["ATN301"]) == ("note", "off", "off")
        assert (states["ATN602"], states["ATN901"]) == ("off", "warning")
        on = sum(state != "off" for state in states.values())
        assert rules.startswith(f"{on} of {len(states)} rules run on clean.py:\n")

    def test_config_as_json(self, run):
        Path("attncheck.toml").write_text('exclude = ["a", "b"]\nconvention = "luong"\n')
        code, out, _ = run("config", "--output-format", "json", "--select", "ATN102")
        data = json.loads(out)["config"]
        assert code == 0
        assert (data["path"], data["files"]) == (".", ["attncheck.toml"])
        assert [each for each in data["settings"] if each["origin"] != "built in"] == [
            {"key": "select", "value": ["ATN102"], "origin": "--select"},
            {"key": "exclude", "value": ["a", "b"], "origin": "attncheck.toml"},
            {"key": "convention", "value": "luong", "origin": "attncheck.toml"},
        ]
        assert [each for each in data["rules"] if each["on"]] == [
            {"code": "ATN102", "name": "transposed-operand", "on": True, "severity": "error"}
        ]

    def test_config_without_a_file(self, run):
        assert run("config")[1].startswith("configuration file: none\n")


HOSTILE = {
    "missing": (lambda: None, "attncheck: error: hostile.py: no such file or folder"),
    "no_python": (
        lambda: Path("hostile.py").mkdir(),
        "attncheck: error: hostile.py: no Python file in this folder",
    ),
    "syntax": (
        lambda: Path("hostile.py").write_text(BROKEN),
        "hostile.py:5:24: ATN902 file-not-parsed: unmatched ')'",
    ),
    "syntax_without_tensors": (
        lambda: Path("hostile.py").write_text("def f(:\n"),
        "hostile.py:1:7: ATN902 file-not-parsed: invalid syntax",
    ),
    "latin": (
        lambda: Path("hostile.py").write_bytes(b"import numpy\nname = 'Andr\xe9'\n"),
        "hostile.py:2:1: ATN902 file-not-parsed: byte 0xe9 on line 2 is not utf-8 and no coding "
        "comment names another encoding",
    ),
    "nul": (
        lambda: Path("hostile.py").write_bytes(b"import numpy\n\0"),
        "hostile.py:2:1: ATN902 file-not-parsed: holds a NUL character, so it is no Python source",
    ),
    "large": (
        lambda: Path("hostile.py").write_bytes(b"import numpy\n" + b"x = 1\n" * 1_700_000),
        "hostile.py:1:1: ATN902 file-not-parsed: too large: 10.2 MB, and no more than 1 MB are "
        "read",
    ),
    "nested": (
        lambda: Path("hostile.py").write_text(f"import numpy\nx = {'[' * 5000}{']' * 5000}\n"),
        "hostile.py:2:105: ATN902 file-not-parsed: brackets nested more than 100 deep, which is "
        "more than can be parsed safely",
    ),
    "link_loop": (
        lambda: os.symlink("hostile.py", "hostile.py"),
        "attncheck: error: hostile.py: cannot be read: Too many levels of symbolic links",
    ),
}


class TestHostileInput:
    """Run as a process of its own: some of these would kill it."""

    @pytest.mark.parametrize("kind", HOSTILE)
    @pytest.mark.parametrize("others", [0, 1, 20])
    def test_is_one_line_and_spares_the_others(self, attncheck, folder, kind, others):
        make, line = HOSTILE[kind]
        make()
        for number in range(others):
            Path(f"plain{number}.py").write_text("x = 1\n")
        names = [f"plain{number}.py" for number in range(others)]
        done = attncheck("hostile.py", *names, "--output-format", "concise")
        assert done.code == 2
        said = done.err.splitlines() + done.out.splitlines()
        assert said[0] == line
        rest = said[1:]
        if others or not line.startswith("attncheck"):
            assert len(rest) == 1
            assert rest[0].startswith("checked 0 files (")
            assert ("skipped: no tensor code" in rest[0]) is (others > 0)
            assert "1 not parsed" in rest[0]
        else:
            assert rest == []

    def test_the_caret_is_pythons(self, attncheck, folder):
        Path("hostile.py").write_text(BROKEN)
        done = attncheck("hostile.py")
        assert done.out == (
            "hostile.py:5:24: ATN902 file-not-parsed: unmatched ')'\n"
            "       5 | return np.dot(x, x))\n"
            "         |                    ^\n"
            "\n"
            "checked 0 files (1 not parsed): 1 error\n"
        )

    def test_an_empty_file_is_no_error(self, attncheck, folder):
        Path("empty.py").write_text("")
        done = attncheck("empty.py")
        assert done.code == 0
        assert done.out == "checked 0 files (1 skipped: no tensor code): nothing was checked\n"

    def test_a_file_without_tensor_code_is_parsed_only_if_it_is_named(self, attncheck, folder):
        Path("plain.py").write_text("x = 1)\n")
        skipped = "checked 0 files (1 skipped: no tensor code): nothing was checked\n"
        for arguments, code in (([], 0), (["--no-cache"], 0)):
            done = attncheck(".", *arguments)
            assert (done.code, done.out) == (code, skipped)
        for path in ("plain.py", "./plain.py"):
            done = attncheck(path, "--output-format", "concise")
            assert done.code == 2
            assert done.out.startswith("plain.py:1:6: ATN902 file-not-parsed: unmatched ')'\n")
        done = attncheck("-", stdin=b"x = 1)\n")
        assert done.code == 2
        assert attncheck(".").out == skipped

    def test_a_declared_encoding_is_honoured(self, attncheck, folder):
        Path("latin.py").write_bytes(b"# coding: latin-1\nname = 'Andr\xe9'\n")
        assert attncheck("latin.py").code == 0

    def test_a_declared_encoding_does_not_stand_in_the_way_of_a_fix(self, attncheck, folder):
        text = f"# coding: gb2312\n# \u6ce8\u610f\n{ATTENTION}"
        Path("chinese.py").write_bytes(text.encode("gb2312"))
        done = attncheck("chinese.py")
        assert done.code == 1
        assert "\n  fix      projected_enc = encoder_states @ U_a.T\n" in done.out

    def test_a_folder_that_contains_itself(self, attncheck, folder):
        Path("a.py").write_text("x = 1\n")
        os.symlink(".", "loop")
        done = attncheck(".")
        assert done.out == "checked 0 files (1 skipped: no tensor code): nothing was checked\n"

    def test_standard_input(self, attncheck, folder):
        done = attncheck("-", "--stdin-filename", "src/x.py", stdin=BROKEN.encode())
        assert done.code == 2
        assert done.out.startswith("src/x.py:5:24: ATN902 file-not-parsed: unmatched ')'\n")
        assert "       5 | return np.dot(x, x))\n" in done.out
        assert attncheck("-", stdin=b"x = 1\n").code == 0
        assert "<stdin>:1:1" in attncheck("-", stdin=b")").out

    @pytest.mark.parametrize("files", [1, 30])  # what fits into a buffer, and what does not
    def test_a_reader_that_leaves(self, folder, files):
        for number in range(files):
            Path(f"broken{number}.py").write_text(f"x = {'a, ' * 5000})\n")
        root = Path(cli.__file__).parents[1]
        process = subprocess.Popen(
            [sys.executable, "-m", "attncheck", "."],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        process.stdout.close()
        assert process.stderr.read() == b""
        process.stderr.close()
        assert process.wait(60) == 2

    def test_an_ascii_terminal(self, attncheck, folder):
        Path("b.py").write_text("é = 1)\n", encoding="utf-8")
        done = attncheck("b.py", env={"PYTHONIOENCODING": "ascii"})
        assert done.code == 2
        assert "       1 | \\xe9 = 1)\n" in done.out

    def test_a_file_name_that_is_no_text(self, attncheck, folder):
        name = b"\xff\x1b.py"
        Path(os.fsdecode(name)).write_text("import numpy\nx = 1)\n")
        done = attncheck(".", "--output-format", "concise")
        assert done.out.startswith("\\udcff\\x1b.py:2:6: ATN902")
        data = attncheck(".", "--output-format", "json")
        assert json.loads(data.out)["files"][0]["status"] == "failed"
