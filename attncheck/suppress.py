"""Suppressions: comments that silence findings, and the finding about one that silences none.

``# attncheck: ignore[outer-broadcast] reason`` speaks for the logical line it ends, or, on a line
of its own, for the next one; ``# attncheck: ignore-file[...]`` before the first statement speaks
for the file. Without brackets either speaks of all rules. One that is written wrongly silences
nothing, and is told. Python's own tokenizer tells comments from strings, and runs only where the
text can hold such a comment.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from attncheck.checks.unused_suppression import RULE
from attncheck.finding import Edit, Finding, FixPart, Span
from attncheck.record import record
from attncheck.rule import all_rules, find_rule, select_rules

if TYPE_CHECKING:
    from attncheck.source import Source

MARK: Final = "attncheck:"

_DIRECTIVE: Final = re.compile(
    r"""\#\s*attncheck:\s*
    (?P<verb>[a-z]+(?:-[a-z]+)*)(?![\w.-])(?!\s*=)
    (?P<list>\s*\[(?P<rules>[^\]\#]*)(?P<closed>\])?)?
    (?P<reason>(?:(?!\s\#).)*)""",
    re.VERBOSE | re.IGNORECASE,
)
_VERBS: Final = ("ignore", "ignore-file")
#: Tokens that may stand before the first statement; a string is the docstring.
_PREFACE: Final = frozenset(
    {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENCODING, tokenize.STRING}
)
_LAYOUT: Final = frozenset({tokenize.NL, tokenize.INDENT, tokenize.DEDENT, tokenize.ENCODING})


@record
class Suppression:
    """One comment: its place, the words in its brackets (None: there are none), what it covers.

    ``lines`` are the lines it speaks for, from 1; ``wrong`` says why it speaks for nothing.
    """

    span: Span
    words: tuple[str, ...] | None
    reason: str
    whole_file: bool
    wrong: str
    lines: range

    @property
    def verb(self) -> str:
        """The word that was written."""
        return "ignore-file" if self.whole_file else "ignore"

    def words_for(self, finding: Finding) -> tuple[str, ...] | None:
        """The words that silence a finding (empty: all rules are meant), or None if none does."""
        if self.wrong or not (self.whole_file or finding.line in self.lines):
            return None
        if self.words is None:
            return ()
        return tuple(word for word in self.words if _code(word) == finding.code) or None


def apply(
    findings: Sequence[Finding], source: Source, path: str, enabled: frozenset[str]
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """The findings that no comment silences, and those about comments that silence none.

    `enabled` are the codes of the rules that ran: a comment about any other is not judged, and none
    is unless ATN901 is among them.
    """
    if MARK not in source.text:
        return tuple(findings), ()
    suppressions = find(source.text)
    used: dict[Suppression, set[str]] = {}
    kept = [finding for finding in findings if not _silence(finding, suppressions, used)]
    if RULE.code not in enabled:
        return tuple(kept), ()
    about = [
        report
        for suppression in suppressions
        if (report := _judge(suppression, used.get(suppression), source, path, enabled))
    ]
    # Only a comment that names ATN901 silences it: a bare one would always silence itself.
    return tuple(kept), tuple(
        report for report in about if not any(each.words_for(report) for each in suppressions)
    )


def find(text: str) -> list[Suppression]:
    """The suppressions in a file, in order."""
    found: list[tuple[Span, re.Match[str], bool, range]] = []
    waiting: list[tuple[Span, re.Match[str], bool]] = []
    start: int | None = None
    in_preface = True
    for token in _tokens(text):
        in_preface = in_preface and (token.type in _PREFACE)
        if token.type == tokenize.COMMENT:
            for match in _DIRECTIVE.finditer(token.string):
                line, column = token.start[0], token.start[1] + 1
                span = Span(line, column + match.start(), line, column + match.end())
                waiting.append((span, match, in_preface))
        elif token.type == tokenize.NEWLINE and start is not None:
            lines = range(start, token.start[0] + 1)
            found += [(*each, lines) for each in waiting]
            waiting, start = [], None
        elif token.type not in _LAYOUT and start is None:
            start = token.start[0]
    found += [(*each, range(0)) for each in waiting]
    return [made for each in found if (made := _suppression(*each))]


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    # Line endings are translated, which moves no column.
    try:
        yield from tokenize.generate_tokens(io.StringIO(text, newline=None).readline)
    except (tokenize.TokenError, SyntaxError):
        return  # the grammar is newer than this interpreter's tokenizer


def _suppression(
    span: Span, match: re.Match[str], in_preface: bool, lines: range
) -> Suppression | None:
    """What a comment says; None if it is about something else."""
    words = None
    if match["list"] is not None:
        words = tuple(word.strip() for word in match["rules"].split(",") if word.strip())
    verb = match["verb"].lower()
    whole_file = verb == "ignore-file"
    wrong = ""
    if verb not in _VERBS:
        hint = _near(match["verb"], _VERBS)
        if not hint:
            return None
        wrong = f"`{match['verb']}` is no instruction{hint}"
    elif match["list"] is not None and match["closed"] is None:
        wrong = f"`{verb}[` is never closed"
    elif whole_file and not in_preface:
        wrong = "`ignore-file` counts only before the first statement"
    return Suppression(span, words, match["reason"].strip(), whole_file, wrong, lines)


def _silence(
    finding: Finding, suppressions: Sequence[Suppression], used: dict[Suppression, set[str]]
) -> bool:
    """Whether a comment silences a finding; notes in `used` which one, and by which words."""
    silent = False
    for suppression in suppressions:
        words = suppression.words_for(finding)
        if words is not None:
            used.setdefault(suppression, set()).update(words)
            silent = True
    return silent


def _judge(
    suppression: Suppression,
    used: set[str] | None,
    source: Source,
    path: str,
    enabled: frozenset[str],
) -> Finding | None:
    """The finding about a comment that is of no use, wholly or in part."""
    if suppression.wrong:
        return _finding(suppression.span, suppression.wrong, path)
    if suppression.words is None:
        if used is None:
            message = f"`{suppression.verb}` suppresses nothing"
            return _report(suppression, (), message, source, path)
        named = suppression.reason.partition(" ")[0].rstrip(",:")
        if _code(named) is None:
            return None
        brackets = f"`{suppression.verb}[{named}]`"
        message = f"`{suppression.verb}` silences every rule; {brackets} silences that one"
        return _finding(suppression.span, message, path)
    unknown = [word for word in suppression.words if _code(word) is None]
    idle = [
        word
        for word in suppression.words
        if _code(word) in enabled - {RULE.code} and word not in (used or ())
    ]
    messages = [_unknown(word) for word in unknown]
    if idle:
        messages.append(f"`{suppression.verb}[{', '.join(idle)}]` suppresses nothing")
    if not suppression.words:
        messages.append(f"`{suppression.verb}[]` names no rule")
    if not messages:
        return None
    kept = tuple(word for word in suppression.words if word not in {*unknown, *idle})
    return _report(suppression, kept, "; ".join(messages), source, path)


def _report(
    suppression: Suppression, kept: tuple[str, ...], message: str, source: Source, path: str
) -> Finding:
    """The finding, with the comment cut down to the words that are kept as its fix."""
    span = suppression.span
    line = source.lines[span.line - 1]
    before, after = line[: span.column - 1], line[span.end_column - 1 :]
    if kept:
        reason = f" {suppression.reason}" if suppression.reason else ""
        text = f"# attncheck: {suppression.verb}[{', '.join(kept)}]{reason}"
        edit = Edit(span, text)
        line, description = before + text + after, "name only the rules that it silences"
    elif not before.strip() and not after.strip() and span.line < len(source.lines):
        edit = Edit(Span(span.line, 1, span.line + 1, 1), "")
        line, description = "", "remove the comment"
    else:
        column = len(before.rstrip()) + 1
        edit = Edit(Span(span.line, column, span.line, span.end_column), "")
        line, description = before.rstrip() + after, "remove the comment"
    fix = FixPart(line.strip(), description, "safe", (edit,))
    return replace(_finding(span, message, path), fix=fix)


def _finding(span: Span, message: str, path: str) -> Finding:
    return Finding(RULE.code, RULE.name, RULE.severity, path, span, "", message)


def _code(word: str) -> str | None:
    rule = find_rule(word)
    return None if rule is None else rule.code


def _unknown(word: str) -> str:
    if select_rules(word):
        return f"`{word}` is no rule; name each one that is meant"
    return f"`{word}` is no rule{_near(word, (n for r in all_rules() for n in (r.name, r.code)))}"


def _near(word: str, words: Iterable[str]) -> str:
    from attncheck.settings import nearest

    return nearest(word, words, listed=False)
