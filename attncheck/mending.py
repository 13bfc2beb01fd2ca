"""The fixes of a whole run: made in the files, or shown as a diff.

A file is written at once, and only if it is still as it was when it was checked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from attncheck.fixing import Fixed, Wanted, fix, fixable
from attncheck.record import record
from attncheck.report import plural
from attncheck.report.screen import Screen, complain
from attncheck.rewrite import replace_file
from attncheck.runner import Checker
from attncheck.source import NOTEBOOK, SourceError

if TYPE_CHECKING:
    from attncheck.baseline import Baseline
    from attncheck.engine import FileResult
    from attncheck.finding import Finding
    from attncheck.report import Run
    from attncheck.work import Work


@record
class Choice:
    """Which fixes: not of what is `known`, and only with `unsafe` also unsafe ones.

    ``limit`` is what one check of one file may take, in seconds of computing.
    """

    known: Baseline | None
    unsafe: bool
    limit: float

    def wanted(self) -> Wanted:
        """The findings of a file that are not in the baseline."""
        return (lambda findings, lines: findings) if self.known is None else self.known.new


def make(run: Run, work: Work, choice: Choice) -> tuple[Run, bool]:
    """Make the fixes of a run: what is left of it, and whether every file could be written."""
    results = {result.path: result for result in run.results}
    made: list[Fixed] = []
    whole = True
    for fixed in _fixed(run, work, choice):
        problem = _write(fixed, work)
        if problem is not None:
            complain(f"{fixed.path}: {problem}")
            whole = False
            continue
        results[fixed.path] = fixed.result
        made.append(fixed)
    found = sum(fixed.count for fixed in made)
    remark = f"{plural(found, 'finding')} fixed in {plural(len(made), 'file')}"
    left: list[Finding] = []
    for result in results.values():
        if result.findings:
            left += choice.wanted()(result.findings, work.lines(result.path))
    remark += _more(left, choice)
    return replace(run, results=tuple(results.values()), remarks=(remark,)), whole


def show(run: Run, work: Work, choice: Choice, screen: Screen) -> str:
    """Print the fixes of a run as one diff; the line that sums it up.

    What is known has been left out of the run already, but not of the files.
    Raises OSError if the output file cannot be written.
    """
    from attncheck.report import diff

    made = list(_fixed(run, work, choice))
    lines = [line for fixed in made for line in diff.render(fixed.path, fixed.before, fixed.after)]
    if screen.color and screen.file is None:
        screen.lines(diff.styled(lines))
    else:
        screen.write("".join(lines))
    found = sum(fixed.count for fixed in made)
    remark = f"{plural(found, 'finding')} would be fixed in {plural(len(made), 'file')}"
    return remark + _more(run.findings, choice)


def _more(findings: Iterable[Finding], choice: Choice) -> str:
    """How many findings have an unsafe fix, for those who want to look at them."""
    fixes = [] if choice.unsafe else [finding.fix for finding in findings]
    count = sum(fix is not None and fix.applicability == "unsafe" for fix in fixes)
    return f" ({count} more with --unsafe-fixes)" if count else ""


def _fixed(run: Run, work: Work, choice: Choice) -> Iterator[Fixed]:
    """The files that fixes change; none of them is written."""
    with Checker(choice.limit, None) as checker:
        for result in run.results:
            if not _has_fixes(result, unsafe=choice.unsafe):
                continue
            try:
                data = work.data(result.path)
            except (OSError, SourceError):
                continue  # it has gone since it was checked
            fixed = fix(
                work.job(result.path),
                data,
                choice.wanted(),
                lambda job: checker.check(job).result,
                unsafe=choice.unsafe,
            )
            if fixed.after != fixed.before:
                yield fixed


def _has_fixes(result: FileResult, *, unsafe: bool) -> bool:
    """Whether a file may change. The lines of a notebook's findings are not those of its file."""
    return not result.path.endswith(NOTEBOOK) and any(
        fixable(finding, unsafe=unsafe) for finding in result.findings
    )


def _write(fixed: Fixed, work: Work) -> str | None:
    """Put a fixed file in its place; in words why not, or None."""
    try:
        if work.data(fixed.path) != fixed.before:
            return "not fixed: it was changed while it was checked"
        if work.job(fixed.path).data is None:
            replace_file(fixed.path, fixed.after)
    except SourceError as error:
        return f"not fixed: {error.message}"
    except OSError as error:
        return f"not fixed: cannot be written: {error.strerror}"
    work.rewritten(fixed.path, fixed.after)
    return None
