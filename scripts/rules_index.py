"""Rewrites the table of `rules/README.md` from the registry: `python scripts/rules_index.py`."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from attncheck.rule import Rule, all_rules

README = Path(__file__).resolve().parents[1] / "rules" / "README.md"
BEGIN, END = "<!-- index: begin -->\n", "<!-- index: end -->\n"
#: The first digit of a code, and what its rules have in common.
FAMILIES = {
    "1": ("contradictions", "the code would raise"),
    "2": ("silent broadcasts", "the code runs, and computes something else"),
    "3": ("wrong axis", "the code runs, and attends over the wrong thing"),
    "4": ("time step", "the decoder state of the wrong step"),
    "5": ("masks and scores", "padding attended to, distributions that are not"),
    "6": ("claims", "what the code says about its shapes"),
    "7": ("practice", "off by default"),
    "9": ("the tool", "about the run itself"),
}


def index() -> str:
    """The table of all rules, family by family, as Markdown."""
    lines = ["| code | name | finds | severity | fix |", "|---|---|---|---|---|"]
    for digit, rules in groupby(all_rules(), key=lambda rule: rule.code[3]):
        family, what = FAMILIES[digit]
        lines.append(f"| **{digit}xx** | **{family}** | *{what}* | | |")
        lines += [_row(rule) for rule in rules]
    return "\n".join(lines) + "\n"


def with_index(text: str) -> str:
    """A README's text with the table put between its marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}{index()}{END}{after}"


def _row(rule: Rule) -> str:
    name = f"[{rule.name}]({rule.name}.md)"
    return f"| {rule.code} | {name} | {rule.finds} | {rule.severity} | {rule.fix} |"


if __name__ == "__main__":
    README.write_text(with_index(README.read_text(encoding="utf-8")), encoding="utf-8")
