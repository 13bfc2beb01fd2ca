"""What `--help` promises runs, and what the shell completes."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from attncheck import __version__
from attncheck.rule import all_rules

from .conftest import ROOT
from .samples import ATTENTION
from .test_notebook import notebook


@pytest.fixture
def project(folder):
    """The files that the examples name."""
    Path("src").mkdir()
    Path("src/attn.py").write_text(ATTENTION)
    Path("attn.py").write_text(ATTENTION)
    Path("notebook.ipynb").write_text(notebook(ATTENTION))


def test_the_examples_run(attncheck, project):
    told = re.findall(r"^    attncheck (\S.*?)   +\S", attncheck("--help").out, re.MULTILINE)
    codes = {command: attncheck(*shlex.split(command)) for command in told}
    assert {command: (done.code, done.err) for command, done in codes.items()} == {
        "src notebook.ipynb": (1, ""),
        ". --select ATN1,softmax-axis": (1, ""),
        ". --output-format json --exit-zero": (0, ""),
        "attn.py --dim d_s=256": (1, ""),
        "shapes attn.py": (0, ""),
        "explain softmax-axis": (0, ""),
    }
    assert all(done.out for done in codes.values())


def test_every_command_explains_itself(attncheck):
    commands = re.findall(r"^  ([a-z]+) {2,}[A-Z]", attncheck("--help").out, re.MULTILINE)
    assert {"check", "shapes", "explain"} <= set(commands)
    for command in commands:
        done = attncheck(command, "--help")
        assert (done.code, done.err) == (0, "")
        assert done.out.startswith(f"Usage: attncheck {command} ")


def test_the_module_and_the_script_are_one(attncheck, project):
    done = attncheck("--version")
    assert (done.code, done.out) == (0, f"attncheck {__version__}\n")
    script = "import sys; from attncheck.cli import main; sys.argv[0] = 'attncheck'; main()"
    said = [
        subprocess.run(
            [sys.executable, *start, "src", "--quiet"],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=False,
        )
        for start in (["-m", "attncheck"], ["-c", script])
    ]
    assert said[0].stdout == said[1].stdout
    assert [done.returncode for done in said] == [1, 1]


@pytest.mark.skipif(shutil.which("bash") is None, reason="completes in bash")
class TestCompletion:
    """The shell's own completion of a line, with the script that the command gives it."""

    @pytest.fixture
    def complete(self, attncheck, folder, tmp_path_factory):
        source = attncheck(env={"_ATTNCHECK_COMPLETE": "source_bash"}).out
        home = tmp_path_factory.mktemp("bin")
        command = home / "attncheck"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m attncheck "$@"\n')
        command.chmod(0o755)

        def complete(*words):
            quoted = shlex.join(["attncheck", *words])
            line = (
                f"{source}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words)}\n"
                "_attncheck_completion attncheck\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n"
            )
            done = subprocess.run(
                ["bash", "-c", line],
                env={
                    **os.environ,
                    "PATH": f"{home}{os.pathsep}{os.environ['PATH']}",
                    "PYTHONPATH": str(ROOT),
                },
                capture_output=True,
                text=True,
                check=True,
            )
            assert done.stderr == ""
            return done.stdout.split()

        return complete

    def test_commands(self, complete):
        assert complete("ex") == ["explain"]
        assert {"check", "shapes", "rules", "dims"} <= set(complete(""))

    def test_options_of_the_command_that_need_not_be_named(self, complete):
        assert complete("--output-f") == ["--output-format", "--output-file"]
        assert complete("check", "--exit") == ["--exit-zero"]
        assert "json" in complete("shapes", "--output-format", "")

    def test_rules(self, complete):
        assert complete("explain", "softm") == ["softmax-axis"]
        assert complete("explain", "") == [rule.name for rule in all_rules()]
        assert complete(".", "--ignore", "ATN101,ATN90") == ["ATN101,ATN901", "ATN101,ATN902"]
        assert complete(".", "--select", "no-such") == []
