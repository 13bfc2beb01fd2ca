"""The console script: the shortest way to what a command line asks for.

Typer takes as long to import as a small file takes to check, so the commonest command lines, paths
and switches like those of the hook, are recognised here and never reach it; all others go to
`attncheck.commands`.
Whatever goes wrong is one line on standard error and exit code 2, never a traceback.
"""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, Final, NoReturn

from attncheck.report.screen import complain, prepare_streams, silence_broken_pipe
from attncheck.session import COMMANDS, Failure, Options, check
from attncheck.settings import SettingsError

_FAILED: Final = 2
_INTERRUPTED: Final = 130
#: Set by the shell when it asks for completions.
_COMPLETE: Final = "_ATTNCHECK_COMPLETE"
#: Options that take no value, as `attncheck.commands` spells them, and what they set.
_SWITCHES: Final = {
    "--force-exclude": "force_exclude",
    "--exit-zero": "exit_zero",
    "--quiet": "quiet",
    "--statistics": "statistics",
    "--fix": "fix",
    "--unsafe-fixes": "unsafe_fixes",
    "--diff": "diff",
    "--no-config": "no_config",
    "--no-cache": "no_cache",
}


def main() -> NoReturn:
    """The console script."""
    # The process is short; what piles up while checking is collected there (`runner.Checker`).
    gc.disable()
    prepare_streams()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; the exit code."""
    try:
        plain = _plain(arguments)
        if plain is not None and _COMPLETE not in os.environ:
            code = check(*plain)
        else:
            code = _run_app(arguments)
        sys.stdout.flush()  # a reader that has left is noticed here and not at the very end
        return code
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


def _plain(arguments: list[str]) -> tuple[list[str], Options] | None:
    """Paths and switches of a command line that has nothing else; None for any other."""
    if arguments[:1] == ["check"]:
        arguments = arguments[1:]
    elif arguments and arguments[0] in COMMANDS:
        return None
    paths = [each for each in arguments if not each.startswith("-") or each == "-"]
    switches = set(arguments).difference(paths)
    if not paths or not switches <= _SWITCHES.keys():
        return None
    chosen: dict[str, Any] = {_SWITCHES[each]: True for each in switches}
    return paths, Options(**chosen)


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
