"""Shape comments at the end of a line: ``scores = q @ k.T  # (B, T, T)``.

A comment is a claim only if it is nothing but the shape, some of the few words that announce one
and, before an arrow, the shapes it came from. Everything else that ends in a bracket is prose.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from attncheck.algebra.notation import CROSS, parse_shape
from attncheck.algebra.shape import Shape
from attncheck.algebra.size import Symbol
from attncheck.evidence.wording import BRACKET, LONGEST, is_shape, looks_like_size
from attncheck.record import record


@record
class ClaimText:
    """What a comment claims: the shape as written in brackets, and the name it is claimed of.

    ``subject`` is None where the comment names nothing; it is then about whatever the line assigns.
    ``words`` is the comment.
    """

    shape: str
    subject: str | None
    words: str

    def read(self, symbol: Callable[[str], Symbol]) -> Shape | None:
        """The claimed shape over the caller's symbols; None if the notation does not carry it."""
        return parse_shape(self.shape, symbol)


#: What no comment with a shape is without: the cheap look before any reading.
_SIGNS: Final = ("(", "[", " x ", "×")
#: The code of a line up to its comment: anything but quotes and hashes, and whole strings.
_CODE: Final = re.compile(r"""(?:[^#'"\\]|\\.|'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")*""")
_ARROW: Final = re.compile(r"\s*(?:->|-->|=>|→|⇒)\s*")
_SUBJECT: Final = re.compile(
    r"([A-Za-z_]\w*)(?:"
    r"(?:\.(?:shape|size\(\)))?\s*(?::|=(?!=))"
    r"|(?:\s+(?:hidden\s+)?(?:states?|vectors?|tensor))?\s+shape\s*(?:==?|:|is\b)"
    r")\s*"
)
_ANNOUNCED: Final = re.compile(
    r"(?:(?:of|new|now|output|result|out)\s+)?(?:shapes?|sizes?|dims?|dimensions?)\s*(?:is|:|=)?\s*",
    re.IGNORECASE,
)
_TAG: Final = re.compile(r"(?:torch\.)?Size(?=\()|(?:Float|Long|torch\.)?[Tt]ensor\s*(?=[(\[])")
_BEFORE_ARROW: Final = re.compile(rf"(?:{BRACKET}|\s|[x×@*+,&.]|and|to|from)*")
_WHOLE: Final = re.compile(BRACKET)
_WORD: Final = re.compile(r"[A-Za-z_]\w*")
_NAMES: Final = r"[A-Za-z_]\w*(?:\s*(?:,|&|/|\band\b)\s*[A-Za-z_]\w*)*"
_IS: Final = r"(?:\.shape)?\s*[:=]\s*|\s+(?:is|has\s+shape|of\s+shape)\s+|\s+"
#: Names, and the shape that they have: atomic, so that no blank is tried twice.
_ITEM: Final = re.compile(rf"(?>(?P<names>{_NAMES})(?P<is>{_IS})(?P<shape>{BRACKET}))")
_ITEMS: Final = re.compile(
    rf"(?>{_NAMES}(?:{_IS}){BRACKET})(?>\s*(?:[,;|]|\band\b)*\s*(?:{_NAMES}(?:{_IS}){BRACKET}))*"
)
#: What gives several tensors: a comment behind it is about each of them.
_SEVERAL: Final = re.compile(r"\.(?:chunk|unbind|(?:tensor_|[hvd])?split)\([^#]*\)\s*$")
#: A space between the words of one name.
_SPACE: Final = re.compile(r"(?<=[A-Za-z]) (?=[A-Za-z])")


def claims(source_lines: Sequence[str]) -> dict[int, ClaimText]:
    """The claims of all end-of-line comments, by line (from 1).

    A line within a string in triple quotes is not told from code; no statement ends there, so
    nobody asks for it. A statement of several lines bears its claim on its first or last one.
    """
    found = {}
    for number, line in enumerate(source_lines, 1):
        if "#" not in line:
            continue
        claim = _claim_in(line)
        if claim is not None:
            found[number] = claim
    return found


def _claim_in(line: str) -> ClaimText | None:
    start = line.index("#")
    if not any(line.find(sign, start) >= 0 for sign in _SIGNS):
        return None
    code = _CODE.match(line)
    assert code is not None, "the pattern matches the empty text"
    start = code.end()
    if line[start : start + 1] != "#" or not line[:start].strip() or _SEVERAL.search(line[:start]):
        return None
    return read_comment(line[start:])


def standing_claims(source_lines: Sequence[str]) -> dict[int, tuple[ClaimText, ...]]:
    """The claims of comments on lines of their own that name what they are about, by line.

    Sizes of several words are read as one name: ``# src = [src len, batch size]``. So are those of
    a comment behind the first line of a function.
    """
    found = {}
    for number, line in enumerate(source_lines, 1):
        comment = _standing(line.strip())
        if comment and any(sign in comment for sign in _SIGNS):
            comment = _WHOLE.sub(lambda text: _SPACE.sub("_", text[0]), comment)
            claim = read_comment(comment)
            one = () if claim is None or claim.subject is None else (claim,)
            if named := one or _named_claims(comment):
                found[number] = named
    return found


def _standing(line: str) -> str:
    """The comment that a line is, or that stands behind the first line of a function."""
    if line.startswith("#"):
        return line
    code = _CODE.match(line) if line.startswith(("def ", "async def ")) and "#" in line else None
    return "" if code is None else line[code.end() :]


def _named_claims(comment: str) -> tuple[ClaimText, ...]:
    """``# q: (B, T, d), k and v: (B, S, d)``: a comment that is nothing but shapes of names.

    With several of them the colon may be left out.
    """
    words = comment.strip()
    text = words.lstrip("#").strip().rstrip(".;,").replace("`", "")
    if len(text) > 4 * LONGEST or not _ITEMS.fullmatch(text):
        return ()
    items = list(_ITEM.finditer(text))
    told = len(items) > 1 or items[0]["is"].strip().endswith((":", "="))
    shapes = [item["shape"] for item in items]
    # Beside what certainly is a shape, ``(batch, words)`` is one too.
    if not told or not any(map(is_shape, shapes)):
        return ()
    if not all(is_shape(shape, announced=True) for shape in shapes):
        return ()
    return tuple(
        ClaimText(item["shape"], name, words)
        for item in items
        for name in _WORD.findall(item["names"])
        if name != "and"
    )


def about_parameter(
    claims: Mapping[int, tuple[ClaimText, ...]], lines: Sequence[str], start: int, name: str
) -> ClaimText | None:
    """The first claim of a function that begins at line `start` that is about a parameter.

    It stands right above the function, or inside before anything is assigned to the name.
    """
    above = start - 1
    while above > 0 and lines[above - 1].lstrip().startswith("#"):
        above -= 1
    depth = _depth(lines[start - 1])
    assigned = re.compile(rf"\s*{name}\b[^=]*=[^=]")
    for number in range(above + 1, len(lines) + 1):
        line = lines[number - 1]
        for claim in claims.get(number, ()):
            if claim.subject == name:
                return claim
        is_code = bool(line.strip()) and not line.lstrip().startswith(("#", ")"))
        if number > start and is_code and (_depth(line) <= depth or assigned.match(line)):
            return None
    return None


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def read_comment(comment: str) -> ClaimText | None:
    """The claim that a comment, from its ``#`` on, makes; None if it is prose."""
    words = comment.strip()
    text = words.lstrip("#").strip().rstrip(".;,").replace("`", "")
    if not text or len(text) > 4 * LONGEST:
        return None
    *sources, target = _ARROW.split(text)
    subject = None
    if any(sources):
        subject, first = _split_subject(sources[0])
        if not all(_BEFORE_ARROW.fullmatch(source) for source in (first, *sources[1:])):
            return None
    else:
        subject, target = _split_subject(target)
    shape = _read_target(target)
    return None if shape is None else ClaimText(shape, subject, words)


def _split_subject(text: str) -> tuple[str | None, str]:
    """The name that a text starts with, if it is one and not a word for shape, and the rest."""
    named = _SUBJECT.match(text)
    if named is None or _ANNOUNCED.match(text):
        return None, text
    return named[1], text[named.end() :]


def _read_target(text: str) -> str | None:
    announced = _ANNOUNCED.match(text)
    if announced is not None:
        text = text[announced.end() :]
    tag = _TAG.match(text)
    if tag is not None:
        text = text[tag.end() :]
    told = announced is not None or tag is not None
    if _WHOLE.fullmatch(text) and is_shape(text, announced=told):
        return text
    return None if tag is not None else _read_times(text)


def _read_times(text: str) -> str | None:
    """``B x T x d`` in brackets, if its parts are numbers and names that sizes have."""
    parts = CROSS.split(text[1:-1].strip() if _WHOLE.fullmatch(text) else text)
    if len(parts) < 2 or not all(part.isdigit() or part.isidentifier() for part in parts):
        return None
    names = [part for part in parts if not part.isdigit()]
    if not names or not all(looks_like_size(name) for name in names):
        return None
    bracketed = f"({', '.join(parts)})"
    return bracketed if is_shape(bracketed) else None
