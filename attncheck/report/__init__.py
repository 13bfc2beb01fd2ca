"""What a run has to say, apart from how it looks: the counts, the closing line, the exit code.

Each format is a module of this package with one function that turns a `Run` into text; none knows
of another, and a module is imported only when its format is asked for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeAlias

from attncheck.finding import Span
from attncheck.record import record

if TYPE_CHECKING:
    from attncheck.engine import FileResult
    from attncheck.finding import Finding, Severity, ShapeText

#: The lines of a checked file by its path; none where it can no longer be read.
Lines: TypeAlias = Callable[[str], Sequence[str]]

EXIT_CLEAN: Final = 0
EXIT_FINDINGS: Final = 1
EXIT_FAILED: Final = 2

_SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
#: Unmodelled calls that the closing line names; the rest it counts.
_NAMED_CALLS: Final = 3


@record
class Run:
    """The results of the files, those left out with the reason, and paths that led to no file."""

    results: tuple[FileResult, ...]
    skipped: tuple[tuple[str, str], ...] = ()
    problems: tuple[tuple[str, str], ...] = ()
    #: what else the closing line has to say, a sentence each
    remarks: tuple[str, ...] = ()

    @property
    def findings(self) -> Iterator[Finding]:
        """All findings, by file, then by place."""
        for result in self.results:
            yield from sorted(result.findings, key=lambda finding: (finding.span, finding.code))

    def files(self) -> Iterator[tuple[str, str, str | None]]:
        """Path, status and reason of every file that the user named or a folder held."""
        for result in self.results:
            yield result.path, result.status, result.reason
        for path, reason in self.skipped:
            yield path, "skipped", reason
        for path, reason in self.problems:
            yield path, "failed", reason


def exit_code(run: Run, *, exit_zero: bool = False) -> int:
    """0 clean or notes alone, 1 findings (0 with `exit_zero`), 2 if anything was not checked."""
    if run.problems or any(result.status == "failed" for result in run.results):
        return EXIT_FAILED
    if not exit_zero and any(finding.severity != "note" for finding in run.findings):
        return EXIT_FINDINGS
    return EXIT_CLEAN


def closing_line(run: Run) -> str:
    """How many files were read, skipped and not parsed, what was found, how much was traced."""
    statuses = Counter(status for _, status, _ in run.files())
    skipped = Counter(reason or "" for _, status, reason in run.files() if status == "skipped")
    apart = [f"{count} skipped: {reason}" for reason, count in skipped.most_common()]
    if statuses["failed"]:
        apart.append(f"{statuses['failed']} not parsed")
    line = f"checked {plural(statuses['checked'], 'file')}"
    if apart:
        line += f" ({'; '.join(apart)})"
    remarks = map(printable, run.remarks)
    return ". ".join([f"{line}: {_counts(run, statuses)}", *remarks, *_coverage(run)])


def statistics(run: Run) -> list[str]:
    """One line for each rule that found something, the most frequent first."""
    counts = Counter((finding.name, finding.code) for finding in run.findings)
    ranked = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return [f"{count:5}  {name} ({code})" for (name, code), count in ranked]


def place_in_cell(finding: Finding) -> str:
    """The cell and the line in it, to stand before a message; empty in a plain file."""
    cell, line = finding.in_cell(finding.line)
    return "" if cell is None else f"cell {cell}, line {line}: "


def file_span(finding: Finding) -> Span:
    """Where it is for programs that show files: the lines of a notebook are none of its file."""
    return Span(1, 1, 1, 1) if finding.cells else finding.span


def place_text(finding: Finding) -> str:
    """Where a finding is, as editors read it; in a notebook by the cell that holds it."""
    cell, line = finding.in_cell(finding.line)
    if cell is None:
        return f"{finding.path}:{line}:{finding.column}"
    return f"{finding.path}: cell {cell}, line {line}, column {finding.column}"


def shape_text(shape: ShapeText | None) -> str:
    """A shape as Python writes a tuple; ``?`` where it is not known."""
    if shape is None:
        return "?"
    return f"({shape[0]},)" if len(shape) == 1 else f"({', '.join(map(str, shape))})"


def printable(text: str) -> str:
    """`text` with everything that a terminal might obey, or hide, shown as an escape."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode("ascii")
        for char in text
    )


def plural(count: int, word: str) -> str:
    """A number and what it counts."""
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def _counts(run: Run, statuses: Mapping[str, int]) -> str:
    severities = Counter(finding.severity for finding in run.findings)
    found = [plural(severities[word], word) for word in _SEVERITIES if severities[word]]
    if found:
        return ", ".join(found)
    return "no findings" if statuses["checked"] else "nothing was checked"


def _coverage(run: Run) -> Iterator[str]:
    functions = sum(result.coverage.functions for result in run.results)
    values = sum(result.coverage.values for result in run.results)
    known = sum(result.coverage.known for result in run.results)
    calls: Counter[str] = Counter()
    for result in run.results:
        calls.update(dict(result.coverage.unmodelled))
    if not functions:
        return
    text = plural(functions, "function")
    if values:
        # Rounded down: 100% is said only where it is so.
        text += f", {100 * known // values}% of tensor values have a known shape"
    if calls:
        ranked = sorted(calls.items(), key=lambda item: (-item[1], item[0]))
        names = ", ".join(f"`{printable(name)}`" for name, _ in ranked[:_NAMED_CALLS])
        more = f" and {len(ranked) - _NAMED_CALLS} more" if len(ranked) > _NAMED_CALLS else ""
        text += f"; {plural(calls.total(), 'call')} not modelled: {names}{more}"
    yield text
