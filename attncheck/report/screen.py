"""Where output goes: whether it is coloured, how wide it may be, and what a broken pipe means.

Colour and width are decided here and nowhere else, from the stream, the option, and the variables
that programs agree on: `NO_COLOR`, `FORCE_COLOR` and `TERM`.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

from attncheck.record import record
from attncheck.report import printable
from attncheck.report.text import Line, plain, show


def _environment_wants_color(on_terminal: bool) -> bool:
    """Whether to colour where the command line does not say (no-color.org, force-color.org)."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return on_terminal and os.environ.get("TERM") != "dumb"


@record
class Screen:
    """Standard output, or the file that takes its place."""

    color: bool
    #: the columns of the terminal; None where there is none
    width: int | None
    file: Path | None = None

    @classmethod
    def open(cls, color: str, file: Path | None = None) -> Screen:
        """The screen for ``auto``, ``always`` or ``never`` and an output file."""
        on_terminal = file is None and sys.stdout.isatty()
        if color == "auto":
            wanted = file is None and _environment_wants_color(on_terminal)
        else:
            wanted = color == "always"
        width = shutil.get_terminal_size().columns if on_terminal else None
        return cls(wanted, width, file)

    def write(self, text: str) -> None:
        """Write text as it is. Raises OSError if the output file cannot be written."""
        if self.file is None:
            sys.stdout.write(text)
        else:
            self.file.write_text(text, encoding="utf-8")

    def lines(self, lines: Iterable[Line]) -> None:
        """Write styled lines. Raises OSError if the output file cannot be written."""
        if self.color and self.file is None:
            show(lines, sys.stdout)
        else:
            self.write(plain(lines))

    def markdown(self, text: str) -> None:
        """Write a page: rendered where there is colour, else as it is."""
        if not self.color:
            self.write(text)
            return
        from rich.console import Console
        from rich.markdown import Markdown

        Console(force_terminal=True, no_color=False, width=self.width).print(Markdown(text))


def complain(message: str) -> None:
    """Say what is wrong, in one line on standard error."""
    line = printable(" ".join(message.split()))
    print(f"attncheck: error: {line}", file=sys.stderr)


def prepare_streams() -> None:
    """Let no character fail to be written, whatever the terminal's encoding."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def silence_broken_pipe() -> None:
    """Let the interpreter end quietly after the reader of standard output has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
