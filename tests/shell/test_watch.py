"""Watching: a report now and after each change that matters, until interrupted."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from attncheck import watch
from attncheck.cli import run

from .conftest import ROOT
from .samples import ATTENTION

pytest.importorskip("watchfiles")

WATCHING = "attncheck: watching for changes, Ctrl-C ends this\n"


class Watched:
    """A watching process, read up to the end of each report."""

    def __init__(self, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "attncheck", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        # A report that never comes is a failure, not a test that never ends.
        self.timer = threading.Timer(60, self.process.kill)
        self.timer.start()

    def report(self):
        lines = []
        for line in self.process.stdout:
            if line == WATCHING:
                break
            lines.append(line)
        return "".join(lines)

    def end(self):
        self.process.send_signal(signal.SIGINT)
        rest, _ = self.process.communicate()
        self.timer.cancel()
        return self.process.returncode, rest


@pytest.fixture
def watching(folder):
    started = []

    def start(*arguments):
        started.append(Watched(*arguments))
        return started[-1]

    yield start
    for each in started:
        each.process.kill()
        each.process.wait()
        each.process.stdout.close()
        each.timer.cancel()


def replaced(path, text):
    """Writes a file as editors do."""
    Path("new~").write_text(text)
    os.replace("new~", path)


def test_a_folder(watching):
    Path("src/deep").mkdir(parents=True)
    Path("src/attn.py").write_text("import numpy\n")
    watched = watching("src", "--watch", "--output-format", "concise")
    assert watched.report() == "checked 1 file: no findings\n"
    Path("src/deep/other.py").write_text(ATTENTION)
    found = watched.report()
    assert found.startswith("src/deep/other.py:7:21: ATN102 transposed-operand")
    assert "\nchecked 2 files: 1 warning. " in found
    replaced("src/deep/other.py", ATTENTION.replace("@ U_a", "@ U_a.T"))
    assert watched.report().startswith("checked 2 files: no findings. ")
    Path("src/deep/other.py").unlink()
    assert watched.report() == "checked 1 file: no findings\n"
    assert watched.end() == (0, "")


def test_a_file_and_settings(watching):
    Path("attn.py").write_text(ATTENTION)
    Path("pyproject.toml").write_text("")
    watched = watching("-w", "attn.py", "--quiet", "--output-format", "concise")
    assert "ATN102" in watched.report()
    Path("unwatched.py").write_text("x = 1)\n")
    replaced("pyproject.toml", "[tool.attncheck]\nselect = 3\n")
    assert watched.report().startswith("attncheck: error: pyproject.toml: ")
    replaced("pyproject.toml", '[tool.attncheck]\nignore = ["ATN102"]\n')
    assert watched.report() == ""
    replaced("attn.py", "x = 1)\n")
    assert "ATN902" in watched.report()
    assert watched.end() == (0, "")


def test_what_matters(folder):
    Path("src").mkdir()
    Path("a.py").write_text("")
    here = os.path.realpath(".")

    def matter(*paths):
        scope = watch._Scope.of(paths)
        names = ["a.py", "b.py", "src/c.py", "src/d.ipynb", "src/e.txt", "src/venv/f.py"]
        names += ["pyproject.toml", "src/.gitignore", "srcs/g.py", "src/.attncheck_cache/x.sqlite3"]
        return [name for name in names if scope.matters(os.path.join(here, name))]

    assert matter("a.py") == ["a.py", "pyproject.toml", "src/.gitignore"]
    assert matter("src") == ["src/c.py", "src/d.ipynb", "src/.gitignore"]
    assert matter("a.py", "src/") == ["a.py", "src/c.py", "src/d.ipynb", "src/.gitignore"]


def test_the_screen_is_wiped_on_a_terminal_only(monkeypatch, capsys):
    def interrupt():
        raise KeyboardInterrupt

    monkeypatch.setattr(watch._Scope, "changes", lambda scope: iter([False]))
    watch.watch(["."], interrupt)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    assert capsys.readouterr() == ("", "")
    watch.watch(["."], interrupt)
    assert capsys.readouterr() == ("\x1b[H\x1b[2J\x1b[3J", "")


@pytest.mark.parametrize("path", ["-", "nope.py"])
def test_what_cannot_be_watched(folder, capsys, path):
    assert run([path, "--watch"]) == 2
    message = f"--watch needs files and folders that exist, which {path} does not"
    assert capsys.readouterr() == ("", f"attncheck: error: {message}\n")


def test_without_watchfiles(folder, monkeypatch, capsys):
    Path("a.py").write_text("")
    monkeypatch.setitem(sys.modules, "watchfiles", None)
    assert run(["a.py", "--watch"]) == 2
    message = "--watch needs the package watchfiles: pip install 'attncheck[watch]'"
    assert capsys.readouterr() == ("", f"attncheck: error: {message}\n")
