"""What is set, as frozen `Settings`, and the questions that the rest of the tool asks of it.

`attncheck.configuration` makes a `Settings` from files and from `Overrides`, and lets nothing bad
through: one from there names only rules that exist and sizes that mean something.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from attncheck.finding import Severity
from attncheck.record import record

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

    from attncheck.rule import Rule

Convention: TypeAlias = Literal["bahdanau", "luong"]
Pairs: TypeAlias = tuple[tuple[str, str], ...]
Severities: TypeAlias = tuple[tuple[str, Severity], ...]

BUILT_IN: Final = "built in"


class SettingsError(Exception):
    """A setting that is wrong: one line that says where, what was expected, and what is near."""


class Choice(NamedTuple):
    """What one source says of which rules run; ``select`` None builds on what came before it.

    Where two selectors speak of one rule the more exact one counts; of two alike, ``ignore``.
    """

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()


class Patterns(NamedTuple):
    """Lines of a gitignore file, and the folder that they are relative to."""

    root: str
    lines: tuple[str, ...]

    def verdict(self, path: str, slash: str = "") -> bool | None:
        """Whether they mean a path, by the last line that speaks of it; None if none does.

        `slash` is ``/`` for a folder and empty for a file.
        """
        inside = os.path.relpath(path, self.root or None).replace(os.sep, "/")
        return git_patterns(self.lines).check_file(inside + slash).include


class Said(NamedTuple):
    """One thing that was set: its key, such as ``select`` or ``dims.d_s``, its value, and where."""

    key: str
    value: str | tuple[str, ...]
    source: str


@record
class Settings:
    """Everything that can be set; the defaults are those of a run without any configuration.

    Of what stands in order the last is the nearest: ``choices`` of rules, ``severities`` (pairs of
    a selector and a severity, one tuple a source), ``exclude``. ``dims`` are (symbol, size or
    expression) and ``tensors`` (NAME, FUNCTION.NAME or CLASS.METHOD.NAME, shape). ``said`` is all
    of it as it was written, for those who ask where a value comes from.
    """

    choices: tuple[Choice, ...] = (Choice(select=("ATN",)),)
    severities: tuple[Severities, ...] = ()
    per_file_ignores: tuple[tuple[Patterns, tuple[str, ...]], ...] = ()
    exclude: tuple[Patterns, ...] = ()
    dims: Pairs = ()
    tensors: Pairs = ()
    convention: Convention | None = None
    said: tuple[Said, ...] = ()
    #: the configuration files that were read, as they are shown, the nearest first
    files: tuple[str, ...] = ()

    def origin(self, key: str) -> str | None:
        """Where a key such as ``dims.d_s`` was set; None if it was not."""
        return next((said.source for said in reversed(self.said) if said.key == key), None)

    def enabled(self, path: str) -> frozenset[str]:
        """The codes of the rules that are on for the file at `path`."""
        codes = _codes(self.choices)
        for patterns, selectors in self.per_file_ignores:
            if patterns.verdict(path):
                codes -= _meant(selectors)
        return codes

    def enables(self, rule: Rule, path: str) -> bool:
        """Whether one rule is on for the file at `path`; the others need not be loaded for that."""
        return _is_on(self.choices, rule) and not any(
            _exactness(selectors, rule.code) and patterns.verdict(path)
            for patterns, selectors in self.per_file_ignores
        )

    def severity(self, code: str) -> Severity | None:
        """The severity that was set for a rule; None if it keeps its own."""
        return _severity(self.severities, code) if self.severities else None

    def excluded(self, path: str, slash: str = "") -> bool | None:
        """Whether a path (a folder's has the slash ``/``) is left out; None if nothing says so.

        False is a pattern that begins with ``!``: it takes back what another one left out.
        """
        for patterns in reversed(self.exclude):
            verdict = patterns.verdict(path, slash)
            if verdict is not None:
                return verdict
        return None


@record
class Overrides:
    """What the command line says, word by word. ``select`` and ``exclude`` None: nothing."""

    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    per_file_ignores: tuple[str, ...] = ()
    severity: tuple[str, ...] = ()
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    dim: tuple[str, ...] = ()
    tensor: tuple[str, ...] = ()


def nearest(word: str, words: Iterable[str], *, listed: bool = True) -> str:
    """``; did you mean `x`?``, or, if nothing is near, what there is; empty if not `listed`."""
    import difflib

    known = list(words)
    lower = {name.lower(): name for name in known}
    near = difflib.get_close_matches(word.lower(), lower, n=1)
    if near:
        return f"; did you mean `{lower[near[0]]}`?"
    return f"; known are {', '.join(known)}" if listed else ""


@functools.cache
def git_patterns(lines: tuple[str, ...]) -> GitIgnoreSpec:
    """Lines of a gitignore file, compiled. Raises ValueError for one that means nothing."""
    from pathspec import GitIgnoreSpec

    return GitIgnoreSpec.from_lines(lines)


@functools.cache
def _codes(choices: tuple[Choice, ...]) -> frozenset[str]:
    """The codes that choices come to; ``ATN`` selects every rule that is on by default."""
    from attncheck.rule import all_rules

    return frozenset(rule.code for rule in all_rules() if _is_on(choices, rule))


def _is_on(choices: tuple[Choice, ...], rule: Rule) -> bool:
    on = False
    for choice in choices:
        if choice.select is not None:
            on = False
        wanted = (*(choice.select or ()), *choice.extend_select)
        by = wanted if rule.default else [each for each in wanted if each.upper() != "ATN"]
        selected, ignored = _exactness(by, rule.code), _exactness(choice.ignore, rule.code)
        if selected > ignored:
            on = True
        elif ignored:
            on = False
    return on


@functools.cache
def _meant(selectors: tuple[str, ...]) -> frozenset[str]:
    from attncheck.rule import select_rules

    return frozenset(rule.code for each in selectors for rule in select_rules(each))


def _exactness(selectors: Iterable[str], code: str) -> int:
    from attncheck.rule import exactness

    return max((exactness(selector, code) for selector in selectors), default=0)


@functools.cache
def _severity(layers: tuple[Severities, ...], code: str) -> Severity | None:
    from attncheck.rule import exactness

    for pairs in reversed(layers):
        exact, severity = max(
            ((exactness(selector, code), severity) for selector, severity in pairs),
            key=lambda each: each[0],
        )
        if exact:
            return severity
    return None
