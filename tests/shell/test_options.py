"""Every option of a check, through the real command: what it changes, seen from outside."""

import json
import os
import re
import sys
from pathlib import Path

import pytest

from .conftest import ROOT
from .test_baseline import ONE

SUM = """\
import numpy as np


def f():
    x = np.zeros((3, 4))
    return x + np.zeros((5, 4))
"""


@pytest.fixture
def codes(attncheck):
    """The rules that a command line finds something by, with the file and the severity."""

    def codes(*arguments):
        done = attncheck(*arguments, "--output-format", "json")
        assert done.code in {0, 1}, done.err
        found = json.loads(done.out)["findings"]
        return [(each["path"], each["code"], each["severity"]) for each in found]

    return codes


@pytest.fixture
def files(folder):
    Path("a.py").write_text(ONE)
    Path("b.py").write_text(SUM)


A = ("a.py", "ATN102", "warning")
B = ("b.py", "ATN110", "error")


@pytest.mark.usefixtures("files")
class TestRules:
    @pytest.mark.parametrize(
        ("arguments", "found"),
        [
            ([], [A, B]),
            (["--select", "ATN102"], [A]),
            (["--select", "broadcast-mismatch,ATN9"], [B]),
            (["--select", "ATN2", "--extend-select", "transposed-operand"], [A]),
            (["--ignore", "ATN11"], [A]),
            (["--extend-ignore", "transposed-operand"], [B]),
            (["--select", "ATN102", "--ignore", "ATN1"], [A]),
            (["--per-file-ignores", "b.*:ATN1"], [A]),
            (["--per-file-ignores", "a.py:ATN102,*:broadcast-mismatch"], []),
            (["--severity", "ATN1=note"], [(*A[:2], "note"), (*B[:2], "note")]),
            (["--severity", "ATN1=note,ATN102=error"], [(*A[:2], "error"), (*B[:2], "note")]),
        ],
    )
    def test_are_chosen(self, codes, arguments, found):
        assert codes(".", *arguments) == found

    def test_notes_alone_are_clean(self, attncheck):
        assert attncheck(".").code == 1
        assert attncheck(".", "--severity", "ALL=note").code == 0

    def test_the_command_line_goes_before_a_file(self, codes):
        Path("attncheck.toml").write_text('select = ["ATN110"]\nseverity = {ALL = "note"}\n')
        assert codes(".") == [(*B[:2], "note")]
        assert codes(".", "--extend-select", "ATN102", "--severity", "ATN102=error") == [
            (*A[:2], "error"),
            (*B[:2], "note"),
        ]
        assert codes(".", "--no-config") == [A, B]
        Path("other.toml").write_text('ignore = ["ATN110"]\n')
        assert codes(".", "--config", "other.toml") == [A]

    def test_a_file_that_extends_another(self, codes):
        Path("base.toml").write_text('ignore = ["ATN102"]\n')
        Path("pyproject.toml").write_text('[tool.attncheck]\nextend = "base.toml"\n')
        assert codes(".") == [B]


@pytest.mark.usefixtures("files")
class TestPaths:
    @pytest.mark.parametrize(
        ("arguments", "found"),
        [
            (["--exclude", "a.py"], [B]),
            (["--exclude", "a.py,b.py"], []),
            (["--extend-exclude", "b.py"], []),
            (["--exclude", "x", "--extend-exclude", "b.py"], [A]),
        ],
    )
    def test_are_left_out(self, codes, arguments, found):
        Path("c.py").write_text("x = 1\n")
        Path("attncheck.toml").write_text('exclude = ["a.py"]\n')
        assert codes(".", *arguments) == found

    def test_that_are_named_are_left_out_if_that_is_forced(self, attncheck, codes):
        Path("attncheck.toml").write_text('exclude = ["a.py"]\n')
        assert codes("a.py", "b.py") == [A, B]
        assert codes("a.py", "b.py", "--force-exclude") == [B]
        done = attncheck("a.py", "--force-exclude")
        assert done.code == 0
        assert done.out.startswith("checked 0 files (1 skipped: excluded): ")

    def test_are_shown_from_the_working_folder(self, codes, folder):
        assert codes(str(folder), "--select", "ATN102") == [A]
        Path("sub").mkdir()
        Path("sub/c.py").write_text(SUM)
        assert codes(folder / "sub") == [("sub/c.py", *B[1:])]

    def test_elsewhere_are_shown_as_they_were_named(self, codes, folder, tmp_path_factory):
        other = tmp_path_factory.mktemp("other") / "c.py"
        other.write_text(SUM)
        assert codes(other) == [(str(other), *B[1:])]

    def test_of_standard_input_have_a_name(self, attncheck):
        done = attncheck("-", "--stdin-filename", "x/y.py", stdin=SUM.encode())
        assert done.out.startswith("x/y.py:6:12: ATN110 ")


@pytest.mark.usefixtures("files")
class TestShapes:
    def test_sizes_and_tensors_are_declared(self, codes):
        Path("c.py").write_text("import numpy as np\n\n\ndef f(x, y):\n    return x @ y\n")
        assert codes("c.py") == []
        said = ["--tensor", "f.x=T_enc d_h", "--tensor", "f.y=(d_s,)", "--dim", "d_h=3"]
        assert [each[1] for each in codes("c.py", *said, "--dim", "d_s=4")] == ["ATN101"]
        assert codes("c.py", *said, "--dim", "d_s=3") == []

    def test_names_of_the_users_own_are_distinct_also_of_items_of_a_dict(self, codes):
        Path("c.py").write_text(
            'import numpy as np\n\n\ndef f(params, x):\n    return x @ params["W"]\n'
        )
        assert codes("c.py", "--tensor", "x=T d_enc") == []
        said = ["--tensor", "x=T d_enc", "--tensor"]
        assert codes("c.py", *said, 'params["W"]=d_enc d_out') == []
        assert [each[1] for each in codes("c.py", *said, "params['W']=d_dec d_out")] == ["ATN101"]
        assert [each[1] for each in codes("c.py", *said, "f.params['W']=d_dec d")] == ["ATN101"]
        assert codes("c.py", *said, "g.params['W']=d_dec d") == []


@pytest.mark.usefixtures("files")
class TestReport:
    def test_quiet_statistics_and_exit_zero(self, attncheck):
        out = attncheck(".", "--quiet", "--statistics", "--output-format", "concise").out
        assert out.splitlines()[2:] == [
            "    1  broadcast-mismatch (ATN110)",
            "    1  transposed-operand (ATN102)",
        ]
        assert attncheck(".", "--exit-zero").code == 0

    @pytest.mark.parametrize("name", ["json", "sarif", "github", "gitlab", "junit"])
    def test_statistics_never_join_a_format_for_programs(self, attncheck, name):
        plain = attncheck(".", "--output-format", name)
        counted = attncheck(".", "--output-format", name, "--statistics")
        assert counted.out == plain.out
        assert (plain.err, len(counted.err.splitlines())) == ("", 2)

    @pytest.mark.parametrize(
        "name", ["full", "concise", "json", "sarif", "github", "gitlab", "junit"]
    )
    def test_goes_into_a_file(self, attncheck, name):
        plain = attncheck(".", "--output-format", name)
        done = attncheck(".", "--output-format", name, "--output-file", "report")
        assert Path("report").read_text(encoding="utf-8") == plain.out
        assert done.code == plain.code == 1
        assert done.out.startswith("checked 2 files: 1 error, 1 warning. ")
        assert done.out.count("\n") == 1

    def test_does_not_depend_on_the_number_of_processes(self, attncheck):
        for number in range(20):
            Path(f"c{number}.py").write_text(SUM)
        assert attncheck(".", "--jobs", "1").out == attncheck(".", "-j", "2").out


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
class TestTerminal:
    """On a terminal, as far as a program can have one."""

    def seen(self, folder, columns, *arguments, **environment):
        import fcntl
        import pty
        import struct
        import termios

        child, screen = pty.fork()
        if child == 0:
            os.chdir(folder)
            settings = {"PYTHONPATH": str(ROOT), "TERM": "xterm", **environment}
            kept = {
                key: value
                for key, value in os.environ.items()
                if key not in {"NO_COLOR", "FORCE_COLOR", "COLUMNS"}
            }
            command = [sys.executable, "-m", "attncheck", *arguments]
            os.execve(sys.executable, command, kept | settings)
        fcntl.ioctl(screen, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        text = b""
        while True:
            try:
                data = os.read(screen, 4096)
            except OSError:
                break
            if not data:
                break
            text += data
        os.waitpid(child, 0)
        os.close(screen)
        return text.decode().replace("\r\n", "\n")

    @pytest.mark.usefixtures("files")
    def test_colour(self, folder):
        assert "\x1b[1;31mATN110" in self.seen(folder, 100, "b.py")
        assert "\x1b" not in self.seen(folder, 100, "b.py", NO_COLOR="1")
        assert "\x1b[" in self.seen(folder, 100, "b.py", NO_COLOR="")
        assert "\x1b" not in self.seen(folder, 100, "b.py", TERM="dumb")
        assert "\x1b" not in self.seen(folder, 100, "b.py", "--color", "never")
        assert "\x1b[" in self.seen(folder, 100, "b.py", "--color", "always", NO_COLOR="1")

    @pytest.mark.usefixtures("files")
    def test_width(self, folder):
        wide = self.seen(folder, 200, "a.py", "--color", "never", "--quiet").splitlines()
        narrow = self.seen(folder, 50, "a.py", "--color", "never", "--quiet").splitlines()
        assert len(narrow) > len(wide)
        assert max(map(len, narrow[1:])) <= 50 < max(map(len, wide[1:]))


def test_every_option_is_tested_through_the_command(attncheck):
    """A new option that no test names has no test."""
    tests = "".join(
        path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("test_*.py"))
    )
    for command in ("check", "shapes", "config", "dims", "explain", "rules"):
        helped = attncheck(command, "--help").out
        options = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", helped)) - {"--help"}
        assert options
        assert [option for option in sorted(options) if f'"{option}"' not in tests] == []
