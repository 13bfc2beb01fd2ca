"""Trying a candidate: the patched file is traced again, and judged against what was traced before.

A candidate counts only if the finding goes, none comes, nothing that was known becomes unknown, and
no axis is stretched that was not stretched before: a fix that makes an error vanish by broadcasting
is refused, with that reason.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from attncheck.algebra.broadcast import How
from attncheck.algebra.reshape import Order
from attncheck.analysis import Analysis
from attncheck.attention import tolerable
from attncheck.checks.report import text_of
from attncheck.diagnosed import Diagnosed
from attncheck.edits import edited
from attncheck.finding import Edit, Span
from attncheck.graph import Operation
from attncheck.operators.events import Elementwise, Reshaping
from attncheck.repair.candidate import Candidate
from attncheck.repair.candidates import candidates
from attncheck.retracing import Retraced, Root, retrace
from attncheck.settings import Settings
from attncheck.source import Source, SourceError, Text, parse
from attncheck.tracer.sketches import shown_by_calls
from attncheck.values.tensor import Evidence
from attncheck.values.value import as_tensor

#: Candidates tried for one finding, and refusals shown with it.
MOST_TRIED = 14
MOST_REFUSED = 2
_STRETCHED = frozenset({How.LEFT_STRETCHED, How.RIGHT_STRETCHED})


@dataclass(slots=True)
class Repair:
    """The candidate that survived, with the patched file and its trace; and those that fell."""

    candidate: Candidate | None = None
    edits: tuple[Edit, ...] = ()
    line: str = ""
    after: Retraced | None = None
    refused: list[tuple[str, str]] = field(default_factory=list)


class Workshop:
    """Tries candidates for the findings of one file, within a budget of traces."""

    def __init__(self, analysis: Analysis, settings: Settings, most: int = 60) -> None:
        self.analysis = analysis
        self.shown = shown_by_calls(analysis.tracer.evidence.sketches)
        self.source = analysis.source
        self.settings = settings
        self.left = most
        self._before: dict[Root, Retraced] = {}

    def repair(self, diagnosed: Diagnosed, *, certain: bool = True) -> Repair:
        """The best fix for a finding, or none; what was refused on the way."""
        repair = Repair()
        tried = 0
        for candidate in candidates(diagnosed.report, diagnosed.view, further=certain):
            if repair.candidate is not None and not candidate.broadcasts:
                continue
            if tried >= MOST_TRIED or self.left <= 0:
                break
            tried += 1
            self._try(diagnosed, candidate, repair)
        return repair

    def _try(self, diagnosed: Diagnosed, candidate: Candidate, repair: Repair) -> None:
        edits = tuple(self._edits(candidate))
        line = candidate.shown or self._lines(edits, several=candidate.several)
        if line is None:
            return
        self.left -= 1
        after = self._traced(diagnosed, edits)
        if after is None:
            return
        fault = self._fault(diagnosed, candidate, after)
        if fault is None:
            repair.candidate, repair.edits, repair.line, repair.after = (
                candidate,
                edits,
                line,
                after,
            )
        elif candidate.broadcasts and len(repair.refused) < MOST_REFUSED:
            repair.refused.append((line, fault))

    def _edits(self, candidate: Candidate) -> Iterator[Edit]:
        yield from candidate.edits
        for change in candidate.changes:
            span = self.source.span(change.node)
            if change.after:
                span = Span(span.end_line, span.end_column, span.end_line, span.end_column)
            yield Edit(span, change.text)

    def _lines(self, edits: tuple[Edit, ...], *, several: bool) -> str | None:
        """The corrected source line, or `several` of them; None if the edits are not of that kind.

        Each edit has to be within one line.
        """
        numbers = sorted({edit.span.line for edit in edits})
        if len(numbers) != 1 and not several:
            return None
        if any(edit.span.line != edit.span.end_line or "\n" in edit.text for edit in edits):
            return None
        return "\n".join(self._line(number, edits) for number in numbers)

    def _line(self, number: int, edits: tuple[Edit, ...]) -> str:
        text = self.source.lines[number - 1]
        for edit in sorted(edits, key=lambda edit: edit.span, reverse=True):
            if edit.span.line == number:
                text = text[: edit.span.column - 1] + edit.text + text[edit.span.end_column - 1 :]
        return text.strip()

    def _traced(self, diagnosed: Diagnosed, edits: tuple[Edit, ...]) -> Retraced | None:
        try:
            text = edited(self.source.text, edits)
            patched = parse(Text(self.source.path, text, self.source.encoding), everyday=True)
        except (SourceError, ValueError):
            return None
        return self._retrace(patched, self._root(diagnosed))

    def _retrace(self, source: Source, root: Root) -> Retraced:
        followed = self.analysis.tracer.followed
        return retrace(source, self.settings, root, followed, self.shown)

    def _root(self, diagnosed: Diagnosed) -> Root:
        """The function to trace again, what to suppose of it, and other functions.

        What a constructor is made with concerns every function that calls the layer.
        """
        also: frozenset[str] = frozenset()
        if diagnosed.report.resized is not None or diagnosed.report.layer is not None:
            also = self.analysis.running(diagnosed.report.operation)
        function, hypothesis = diagnosed.traced.function, diagnosed.traced.hypothesis
        if function is not None:
            # What is wrong in a function that is called is asserted in its own names.
            also |= {diagnosed.report.place} - {function.qualified}
            label = None if hypothesis is None else hypothesis.label
            traced = diagnosed.traced
            return Root(function.qualified, label, traced.terms, also)
        place = diagnosed.report.operation.place.function
        # What a call has shown is told in the names that the function is best read under.
        examples = self.analysis.is_example(diagnosed.traced)
        return Root(place, self.analysis.labels.get(place), also=also, examples=examples)

    def _fault(self, diagnosed: Diagnosed, candidate: Candidate, after: Retraced) -> str | None:
        """Why a candidate is no fix, or None if it is one."""
        root = self._root(diagnosed)
        if root not in self._before:
            self._before[root] = self._retrace(self.source, root)
        before = self._before[root]
        for operation in after.operations():
            if operation.clash is None or tolerable(operation, after.graph_of(operation)):
                continue
            if after.line(operation) not in before.clashing or candidate.broadcasts:
                return f"then `{after.code(operation)}` {operation.clash.text}"
        if _scrambles(after, {edit.span.line for edit in self._edits(candidate)}):
            return "it moves elements from one axis to another"
        finding = diagnosed.line_key
        came = after.keys - before.keys
        if diagnosed.evidence < Evidence.NAME:
            # What only names say is weighed against other readings of them, and not by itself.
            came &= {each.line_key for each in after.diagnosed if each.evidence < Evidence.NAME}
        if finding in after.keys:
            return "the finding stays"
        if came:
            return f"it makes a new finding: {min(came)[0]}"
        known = candidate.same_size or candidate.new_name is not None
        if not known and after.loses(diagnosed) > before.loses(diagnosed):
            return "less is known of the shapes afterwards"
        if not candidate.same_size and after.assumes(diagnosed) > before.assumes(diagnosed):
            return "it works only if sizes are equal of which nothing says so"
        if candidate.table:
            return None
        if after.stretched > before.stretched or candidate.broadcasts:
            return _stretches(after, finding[1]) or "it only broadcasts the difference away"
        return None


def _scrambles(after: Retraced, lines: set[int]) -> bool:
    """Whether a view in one of the patched lines moves elements between axes."""
    return any(
        isinstance(operation.event, Reshaping)
        and operation.event.outcome.order is Order.SCRAMBLED
        and after.line(operation) in lines
        for operation in after.operations()
    )


def _stretches(after: Retraced, line: int) -> str:
    """What a candidate stretches, in words."""
    for operation in after.operations():
        if after.line(operation) == line and stretched(operation):
            left, right = [
                text_of(None if t.shape is None or not t.shape.closed else t.shape.sizes())
                for _, t in list(operation.tensors())[:2]
            ]
            return f"broadcasts {right} over {left}"
    return ""


def stretched(operation: Operation) -> bool:
    """Whether an elementwise operation repeats an axis of 1 on either side."""
    event = operation.event
    if not isinstance(event, Elementwise) or event.broadcast is None:
        return False
    if as_tensor(operation.output) is None:
        return False
    return any(pairing.how in _STRETCHED for pairing in event.broadcast.pairings)
