"""The bar: on a terminal, for long runs, and gone when they end."""

import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

from attncheck import runner
from attncheck.report import progress

SLOW_RUN = """
import sys, time
from attncheck import cli, runner
from attncheck.engine import Coverage, FileResult
from attncheck.report import progress

def check(data, path, settings, named=True):
    time.sleep(0.02)
    if path == "30.py" and {interrupt}:
        raise KeyboardInterrupt
    return FileResult(path, "checked", None, (), Coverage())

runner.check_source = check
progress._LONG = {long}
sys.exit(cli.run({arguments!r}))
"""


def on_terminal(*arguments, long=0.1, interrupt=False, **environment):
    """What a run over forty files writes to a terminal, and what to standard output."""
    for index in range(40):
        Path(f"{index}.py").write_text("x = 1\n")
    ours, theirs = pty.openpty()
    code = SLOW_RUN.format(arguments=[*arguments, "."], long=long, interrupt=interrupt)
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={
            **os.environ,
            "PYTHONPATH": str(Path(runner.__file__).parents[1]),
            "TERM": "xterm",
            **environment,
        },
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            piece = os.read(ours, 10_000)
        except OSError:  # Linux says so where others say that nothing is left
            break
        if not piece:
            break
        said += piece
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    return said.decode(), out.decode()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_long_run_shows_how_far_it_is(folder, jobs):
    said, out = on_terminal("--jobs", jobs, "--no-cache")
    assert re.search(r"[1-9]\d*/40\x1b\[0m files", said)
    assert "━" in said
    # The line is erased and the cursor is back.
    assert said.rstrip().endswith("\x1b[2K")
    assert said.count("\x1b[?25l") == said.count("\x1b[?25h") == 1
    assert out == "checked 40 files: no findings\n"


def test_an_interrupt_gives_the_terminal_back(folder):
    said, _ = on_terminal("--jobs", "1", "--no-cache", interrupt=True)
    assert said.count("\x1b[?25l") == said.count("\x1b[?25h") == 1
    assert said.endswith("attncheck: error: interrupted\r\n")


@pytest.mark.parametrize(
    ("arguments", "extra"),
    [
        ([], {"long": 600}),
        (["--quiet"], {}),
        ([], {"TERM": "dumb"}),
    ],
)
def test_otherwise_nothing_is_shown(folder, arguments, extra):
    assert on_terminal(*arguments, "--no-cache", **extra)[0] == ""


def test_in_a_log_nothing_is_shown(capsys):
    with progress.Bar(10, wanted=True) as bar:
        bar._next = 0
        bar.show(5)
    assert capsys.readouterr() == ("", "")
