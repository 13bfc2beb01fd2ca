"""The console script: the shortest way to what a command line asks for.

Typer takes as long to import as a small file takes to check, so the commonest command line, paths
and nothing else, is recognised here and never reaches it; all others go to `attncheck.commands`.
Whatever goes wrong is one line on standard error and exit code 2, never a traceback.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Final, NoReturn

from attncheck.report.screen import complain, prepare_streams, silence_broken_pipe
from attncheck.session import COMMANDS, Failure, check
from attncheck.settings import SettingsError

_FAILED: Final = 2
_INTERRUPTED: Final = 130
#: Set by the shell when it asks for completions.
_COMPLETE: Final = "_ATTNCHECK_COMPLETE"


def main() -> NoReturn:
    """The console script."""
    # The process is short; what piles up while checking is collected there (`runner.Checker`).
    gc.disable()
    prepare_streams()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; the exit code."""
    try:
        paths = _only_paths(arguments)
        if paths and _COMPLETE not in os.environ:
            return check(paths)
        return _run_app(arguments)
    except (Failure, SettingsError) as error:
        complain(str(error))
    except KeyboardInterrupt:
        complain("interrupted")
        return _INTERRUPTED
    except BrokenPipeError:
        silence_broken_pipe()
    except Exception as error:
        complain(f"internal error: {type(error).__name__}: {error}")
    return _FAILED


def _only_paths(arguments: list[str]) -> list[str]:
    """The paths of a command line that has nothing else, or none."""
    if arguments[:1] == ["check"]:
        arguments = arguments[1:]
    elif arguments and arguments[0] in COMMANDS:
        return []
    options = any(each.startswith("-") and each != "-" for each in arguments)
    return [] if options else arguments


def _run_app(arguments: list[str]) -> int:
    import typer

    from attncheck.commands import app

    try:
        code = app(arguments or ["--help"], prog_name="attncheck", standalone_mode=False)
    except typer.Abort:
        raise KeyboardInterrupt from None
    except Exception as error:
        # Which class Typer's usage errors have depends on its version; what they can do does not.
        describe = getattr(error, "format_message", None)
        if describe is None:
            raise
        raise Failure(describe().replace("Value error, ", "")) from None
    if code == _INTERRUPTED:  # Typer has caught it
        raise KeyboardInterrupt
    return int(code or 0) if arguments else _FAILED
