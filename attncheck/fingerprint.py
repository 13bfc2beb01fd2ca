"""What a finding is known by from one run to the next, though lines move and messages change.

The rule, the file, the function and the code that is reported, without its white space: neither
lines above it nor a formatter change any of these. Of findings that are alike in all of them each
has a number, in the order of the file.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from attncheck.finding import Finding, Span


@dataclass(frozen=True, slots=True, order=True)
class Trait:
    """What findings that are alike have in common; ``code`` is a digest of the source text."""

    path: str
    rule: str
    function: str
    code: str


def trait(finding: Finding, lines: Sequence[str]) -> Trait:
    """What a finding is known by, given the lines of its file."""
    text = "".join(_between(lines, finding.span).split())
    return Trait(posix(finding.path), finding.name, finding.function, _digest(text))


def fingerprints(
    findings: Iterable[Finding], lines_of: Callable[[str], Sequence[str]]
) -> Iterator[str]:
    """A short text for each finding, which no other finding of the run has."""
    seen: Counter[Trait] = Counter()
    for finding in findings:
        each = trait(finding, lines_of(finding.path))
        number = seen[each]
        seen[each] += 1
        yield _digest("\0".join((each.path, each.rule, each.function, each.code, str(number))))


def posix(path: str) -> str:
    """A path as every system writes it in a report."""
    return path.replace(os.sep, "/")


def _between(lines: Sequence[str], span: Span) -> str:
    """The source text of a span."""
    chosen = list(lines[span.line - 1 : span.end_line])
    if not chosen:
        return ""
    if span.end_line - span.line < len(chosen):
        chosen[-1] = chosen[-1][: span.end_column - 1]
    chosen[0] = chosen[0][span.column - 1 :]
    return "\n".join(chosen)


def _digest(text: str) -> str:
    from hashlib import blake2b

    return blake2b(text.encode("utf-8", "backslashreplace"), digest_size=16).hexdigest()
