"""Finds a rule's page: in the installed package, or beside it in a checkout."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from attncheck.rule import Rule


def page(rule: Rule) -> str | None:
    """The Markdown of a rule's page, or None if this installation has none."""
    file = _folder() / f"{rule.name}.md"
    return file.read_text(encoding="utf-8") if file.is_file() else None


def _folder() -> Traversable:
    package = files("attncheck")
    shipped = package / "_rules"
    return shipped if shipped.is_dir() else package / ".." / "rules"
