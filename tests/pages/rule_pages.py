"""Reads the rules' pages: metadata line, headings, and code blocks with their marks.

A mark (``# error``, ``# warning`` or ``# note`` at the end of a line) is for the reader of the page
and for these tests; it is no part of a block's code.
"""

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt

RULES = Path(__file__).resolve().parents[2] / "rules"
HEADINGS = (
    "What it does",
    "Why it matters",
    "Example",
    "Fixed",
    "Assert",
    "Not reported",
    "Fix safety",
    "Known limits",
)
#: The sentence by which a page says that its bug changes no result.
HARMLESS = "The example passes this too"

_MARK = re.compile(r"  # (error|warning|note)$")


@dataclass(frozen=True, slots=True)
class Block:
    """The code of one fence, without marks; ``marks`` are (line of the code, severity)."""

    code: str
    marks: tuple[tuple[int, str], ...]
    #: the line of the page on which the code begins
    start: int


@dataclass(frozen=True, slots=True)
class Section:
    heading: str
    text: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Page:
    path: Path
    title: str
    metadata: str
    sections: tuple[Section, ...]

    @property
    def name(self):
        return self.path.stem

    def section(self, heading):
        (found,) = (section for section in self.sections if section.heading == heading)
        return found

    def block(self, heading):
        """The only block under a heading."""
        (found,) = self.section(heading).blocks
        return found

    def blocks(self):
        return [block for section in self.sections for block in section.blocks]


def pages():
    """Every page, by name."""
    return [read(path) for path in sorted(RULES.glob("*.md")) if path.stem != "README"]


def read(path):
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    tokens = MarkdownIt().parse(text)
    starts = [
        (token.tag, token.map[0], tokens[index + 1].content)
        for index, token in enumerate(tokens)
        if token.type == "heading_open"
    ]
    assert all(tag == "h2" for tag, *_ in starts[1:]), (
        f"{path.name}: only one title, no subheadings"
    )
    (tag, first, title), *rest = starts
    assert (tag, first) == ("h1", 0), f"{path.name}: the title comes first"
    fences = [token for token in tokens if token.type == "fence"]
    ends = [start for _, start, _ in rest[1:]] + [len(lines)]
    sections = tuple(
        _section(heading, lines, start, end, fences)
        for (_, start, heading), end in zip(rest, ends, strict=True)
    )
    metadata = " ".join(lines[1 : rest[0][1]]).strip()
    return Page(path, title, metadata, sections)


def _section(heading, lines, start, end, fences):
    inside = [fence for fence in fences if start < fence.map[0] < end]
    blocks = tuple(
        _block(fence.content, fence.map[0] + 2) for fence in inside if fence.info == "python"
    )
    return Section(heading, "\n".join(lines[start + 1 : end]), blocks)


def _block(content, start):
    lines = content.split("\n")
    marks = tuple(
        (number, mark[1]) for number, line in enumerate(lines, 1) if (mark := _MARK.search(line))
    )
    return Block("\n".join(_MARK.sub("", line) for line in lines), marks, start)
