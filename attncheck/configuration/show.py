"""What is in force and where each of it comes from: the rows of `attncheck config` and `dims`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from attncheck.files import DEFAULT_EXCLUDES
from attncheck.finding import Severity
from attncheck.record import record
from attncheck.settings import BUILT_IN, Said, Settings

_DEFAULTS: Final = (
    Said("select", ("ATN",), BUILT_IN),
    Said("exclude", tuple(sorted(f"{name}/" for name in DEFAULT_EXCLUDES)), BUILT_IN),
)
#: Keys in the order in which they are shown; tables by their first word.
_ORDER: Final = (
    "select",
    "extend-select",
    "ignore",
    "extend-ignore",
    "per-file-ignores",
    "severity",
    "exclude",
    "extend-exclude",
    "convention",
    "dims",
    "tensors",
)


@record
class RuleState:
    """A rule as it is for one path: whether it runs, and the severity of its findings."""

    code: str
    name: str
    on: bool
    severity: Severity


def rows_of(settings: Settings) -> list[Said]:
    """Everything that is set, and the built-in value of what is not, by key."""
    # The built-in folders are left out whatever else is.
    select, exclude = _DEFAULTS
    rows = [exclude, *settings.said]
    if settings.origin("select") is None:
        rows.insert(0, select)
    return sorted(rows, key=lambda said: _ORDER.index(said.key.partition(".")[0]))


def rule_states(settings: Settings, path: str) -> Iterator[RuleState]:
    """Every rule, as it is for the file at `path`."""
    from attncheck.rule import all_rules

    enabled = settings.enabled(path)
    for rule in all_rules():
        severity = settings.severity(rule.code) or rule.severity
        yield RuleState(rule.code, rule.name, rule.code in enabled, severity)


def as_text(settings: Settings, path: str) -> Iterator[str]:
    """The settings in force for `path`, key by key, then the rules."""
    nearest, *extended = settings.files or ("none",)
    yield f"configuration file: {nearest}{''.join(f', which extends {file}' for file in extended)}"
    yield ""
    yield from columns(
        [(said.key, said.source, _written(said.value)) for said in rows_of(settings)]
    )
    yield ""
    rules = list(rule_states(settings, path))
    yield f"{sum(rule.on for rule in rules)} of {len(rules)} rules run on {path}:"
    yield from columns(
        [(rule.name, rule.code, rule.severity if rule.on else "off") for rule in rules]
    )


def as_json(settings: Settings, path: str) -> dict[str, Any]:
    """The same for programs."""
    return {
        "config": {
            "path": path,
            "files": list(settings.files),
            "settings": [
                {"key": said.key, "value": _plain(said.value), "origin": said.source}
                for said in rows_of(settings)
            ],
            "rules": [asdict(rule) for rule in rule_states(settings, path)],
        }
    }


def columns(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Rows of cells under each other; the last cell of a row may be as long as it likes."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]) - 1)]
    for row in rows:
        cells = (f"{cell:{width}}" for cell, width in zip(row, widths, strict=False))
        yield "  ".join((*cells, row[-1])).rstrip()


def _plain(value: str | tuple[str, ...]) -> str | list[str]:
    return value if isinstance(value, str) else list(value)


def _written(value: str | tuple[str, ...]) -> str:
    return value if isinstance(value, str) else ", ".join(value)


def table_rows(settings: Settings) -> list[tuple[str, str, str | None, str, str]]:
    """Every symbol and tensor in force: kind, name, value if it has one, meaning, origin."""
    from attncheck.table import SYMBOLS

    values = dict(settings.dims)
    rows = []
    for name in dict.fromkeys((*SYMBOLS, *values)):
        origin = settings.origin(f"dims.{name}") or BUILT_IN
        rows.append(("size", name, values.get(name), SYMBOLS.get(name, ""), origin))
    for name, shape in settings.tensors:
        rows.append(("tensor", name, shape, "", settings.origin(f"tensors.{name}") or ""))
    return rows
