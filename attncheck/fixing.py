"""Making fixes: as many at a time as lie apart, each step held against a new check of the file.

A fix was tried alone when it was offered. That two of them agree shows only when the file that has
both is checked: every step must leave fewer findings and none of a new kind, or it is not made.
Nothing is written here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from attncheck.edits import apply_edits
from attncheck.finding import Edit, Finding, FixPart
from attncheck.record import record
from attncheck.runner import Job
from attncheck.source import SourceError, decode, split_lines

if TYPE_CHECKING:
    from attncheck.engine import FileResult

#: Which of a file's findings may be fixed, given its lines.
Wanted: TypeAlias = Callable[[Sequence[Finding], Sequence[str]], Sequence[Finding]]

Check: TypeAlias = "Callable[[Job], FileResult]"

#: Checks of one file, whatever it holds.
_MOST_CHECKS: Final = 100


@record
class Fixed:
    """A file with the fixes made: its bytes before and after, and what is found in it then."""

    path: str
    before: bytes
    after: bytes
    #: findings that are gone
    count: int
    result: FileResult


def fixable(finding: Finding, *, unsafe: bool) -> FixPart | None:
    """The fix of a finding, if it is one to be made."""
    fix = finding.fix
    wanted = ("safe", "unsafe") if unsafe else ("safe",)
    return fix if fix is not None and fix.edits and fix.applicability in wanted else None


def fix(job: Job, data: bytes, wanted: Wanted, check: Check, *, unsafe: bool) -> Fixed:
    """Make the fixes of a file whose content is `data`."""
    before = data
    result = check(Job(job.path, job.settings, data, job.named))
    count, checks = 0, 1
    failed: set[FixPart] = set()
    while result.status == "checked" and checks < _MOST_CHECKS:
        lines = split_lines(decode(data)[0])
        fixes = [fixable(finding, unsafe=unsafe) for finding in wanted(result.findings, lines)]
        apart = _apart(fix for fix in fixes if fix is not None and fix not in failed)
        if not apart:
            break
        for chosen in (apart, apart[:1]) if len(apart) > 1 else (apart,):
            step = _step(job, data, chosen, check)
            checks += 1
            if step is not None and _is_better(step[1], result, len(chosen)):
                count += len(result.findings) - len(step[1].findings)
                data, result = step
                failed.clear()
                break
        else:
            failed.add(apart[0])
    return Fixed(job.path, before, data, count, result)


def _apart(fixes: Iterable[FixPart]) -> list[FixPart]:
    """Fixes of which no two touch: the first of those that do."""
    chosen: list[FixPart] = []
    taken: list[Edit] = []
    for fix in fixes:
        if not any(_touch(edit, other) for edit in fix.edits for other in taken):
            chosen.append(fix)
            taken += fix.edits
    return chosen


def _touch(left: Edit, right: Edit) -> bool:
    first, second = sorted((left.span, right.span))
    return (second.line, second.column) <= (first.end_line, first.end_column)


def _step(
    job: Job, data: bytes, fixes: Sequence[FixPart], check: Check
) -> tuple[bytes, FileResult] | None:
    """The file with some fixes made, checked; None if the edits cannot be made."""
    try:
        after = apply_edits(data, [edit for fix in fixes for edit in fix.edits])
    except (SourceError, ValueError):
        return None
    return after, check(Job(job.path, job.settings, after, job.named))


def _is_better(after: FileResult, before: FileResult, made: int) -> bool:
    """Whether each of the fixes has cleared a finding, and none has brought one."""
    gone = len(before.findings) - len(after.findings)
    brought = Counter(map(_kind, after.findings)) - Counter(map(_kind, before.findings))
    return after.status != "failed" and gone >= made and not brought


def _kind(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.function
