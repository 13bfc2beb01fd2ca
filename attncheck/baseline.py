"""A baseline: the findings that are known, and left out of a report until they change.

The file names each finding by its fingerprint, without lines and messages, so that edits elsewhere
in a file leave it valid. Of findings that are alike in all of it the first ones are the known ones.
Paths in it are relative to its own folder.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from attncheck.fingerprint import Trait, posix, trait
from attncheck.report import plural
from attncheck.rewrite import replace_file

if TYPE_CHECKING:
    from attncheck.finding import Finding
    from attncheck.report import Lines, Run
    from attncheck.settings import Settings

SCHEMA: Final = 1


class BaselineError(Exception):
    """A baseline file that cannot be used: one line that says why and what to do."""


class Baseline:
    """The known findings, by what each is known by, and how many of each there are."""

    def __init__(self, file: Path, known: Mapping[Trait, int]) -> None:
        self.file = file
        self.known = Counter(known)
        self._folder = os.path.dirname(os.path.abspath(file))

    @classmethod
    def read(cls, file: Path, *, required: bool = True) -> Baseline:
        """The baseline in a file; one that is not there is empty, unless `required`.

        Raises `BaselineError`.
        """
        try:
            data = json.loads(file.read_bytes())
            return cls(file, dict(map(_entry, data["findings"])))
        except FileNotFoundError:
            if required:
                hint = "--write-baseline makes it"
                raise BaselineError(f"{file}: there is no such baseline; {hint}") from None
            return cls(file, {})
        except OSError as error:
            raise BaselineError(f"{file}: cannot be read: {error.strerror}") from None
        except (ValueError, KeyError, TypeError, RecursionError):
            raise BaselineError(f"{file}: this is no baseline of attncheck") from None

    def trait(self, finding: Finding, lines: Sequence[str]) -> Trait:
        """What a finding is known by here."""
        return replace(trait(finding, lines), path=self._inside(finding.path))

    def new(self, findings: Iterable[Finding], lines: Sequence[str]) -> list[Finding]:
        """The findings of one file that are not known, in order."""
        seen: Counter[Trait] = Counter()
        new = []
        for finding in sorted(findings, key=lambda finding: (finding.span, finding.code)):
            each = self.trait(finding, lines)
            seen[each] += 1
            if seen[each] > self.known[each]:
                new.append(finding)
        return new

    def applied(self, run: Run, lines_of: Lines, settings: Mapping[str, Settings]) -> Run:
        """The run without what is known, and with a remark that says so."""
        found = self._count(run, lines_of)
        results = tuple(
            replace(result, findings=tuple(self.new(result.findings, lines_of(result.path))))
            if result.findings and result.status == "checked"
            else result
            for result in run.results
        )
        left_out = (found & self.known).total()
        judged = self._judged(run, settings)
        expected = Counter({each: n for each, n in self.known.items() if judged(each)})
        stale = (expected - found).total()
        remarks = list(run.remarks)
        if left_out:
            remarks.append(f"{plural(left_out, 'finding')} left out as known ({self.file})")
        if stale:
            remarks.append(f"{plural(stale, 'finding')} in {self.file} no longer found")
        return replace(run, results=results, remarks=tuple(remarks))

    def write(self, run: Run, lines_of: Lines, settings: Mapping[str, Settings]) -> None:
        """Write what was found, which is then known; what this run did not judge stays.

        Raises OSError.
        """
        found = self._count(run, lines_of)
        judged = self._judged(run, settings)
        for each, number in self.known.items():
            if not judged(each):
                found[each] = number
        replace_file(str(self.file), _text(found).encode())
        self.known = found

    def _count(self, run: Run, lines_of: Lines) -> Counter[Trait]:
        return Counter(
            self.trait(finding, lines_of(result.path))
            for result in run.results
            if result.status == "checked"
            for finding in result.findings
        )

    def _judged(self, run: Run, settings: Mapping[str, Settings]) -> Callable[[Trait], bool]:
        """Whether a run would have found a thing again: its file was checked, its rule was on."""
        from attncheck.rule import find_rule

        enabled = {
            self._inside(result.path): settings[result.path].enabled(result.path)
            for result in run.results
            if result.status != "failed"
        }

        def judged(each: Trait) -> bool:
            if each.path not in enabled:
                return not os.path.exists(os.path.join(self._folder, each.path))
            rule = find_rule(each.rule)
            return rule is None or rule.code in enabled[each.path]

        return judged

    def _inside(self, path: str) -> str:
        return posix(os.path.relpath(path, self._folder))


def _entry(written: Mapping[str, object]) -> tuple[Trait, int]:
    """One entry of the file. Raises KeyError or TypeError if it is none."""
    count = written["count"]
    texts = [written[key] for key in ("path", "rule", "function", "code")]
    if not isinstance(count, int) or not all(isinstance(text, str) for text in texts):
        raise TypeError
    return Trait(*map(str, texts)), count


def _text(found: Mapping[Trait, int]) -> str:
    """The file: an entry a line, so that a comparison of two shows what was added and removed."""
    entries = [
        json.dumps({**asdict(each), "count": number}) for each, number in sorted(found.items())
    ]
    lines = "".join(f"\n    {entry}," for entry in entries).removesuffix(",")
    return f'{{\n  "schema": {SCHEMA},\n  "tool": "attncheck",\n  "findings": [{lines}\n  ]\n}}\n'
