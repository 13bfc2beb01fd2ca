"""How many axes prose gives the arguments of a function, however it writes their sizes.

`attncheck.evidence.docstrings` reads shapes that can be held against the code. Here only axes are
counted, in forms that are too free for that: ``[b x s x d]``, ``shape `T*B*H` ``, ``a 3D tensor``,
``# Shape of keys: (batch_size, no. of keys, d)``. What is counted is taken for shapes that are
stated, and given up where the code contradicts it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final

from attncheck.evidence.wording import looks_like_size

_BRACKET: Final = r"[(\[]([^()\[\]{}\n]{1,90})[)\]]"
#: What is said to be the shape: a list in brackets, or a product.
_SHAPE: Final = re.compile(
    rf"\bshapes?\b[\s`'\":=]*(?:is|of|are|being)?[\s`'\":=]*(?:{_BRACKET}|(\w+(?:\s*[*x×]\s*\w+)+))",
    re.IGNORECASE,
)
_OTHERWISE: Final = re.compile(rf"\bor[\s`'\"]+{_BRACKET}")
_PLAIN: Final = re.compile(_BRACKET)
_COUNTED: Final = re.compile(r"\b([1-6])-?[dD]\b")
_SEPARATOR: Final = re.compile(r"\s+[x×]\s+|\s*[*×]\s*")
_COMPONENT: Final = re.compile(r"[\w.]+(?:\s*(?:[-+*/]|//)\s*[\w.]+)*")
_WORD: Final = re.compile(r"[A-Za-z_]\w*")


def prose_ranks(docstring: str, comments: Iterable[str], names: Collection[str]) -> dict[str, int]:
    """The number of axes by parameter name, where all that is said of it agrees."""
    found: dict[str, int] = {}
    lines = docstring.expandtabs().splitlines()
    remarks = list(comments)
    for name in names:
        counts = set(_of_entry(_entry(lines, name)))
        for text in (*lines, *remarks):
            counts |= set(_named(text, name))
        if len(counts) == 1:
            found[name] = counts.pop()
    return found


def _entry(lines: Sequence[str], name: str) -> str:
    """What a docstring lists under a parameter: its line, and those that are deeper."""
    head = re.compile(
        rf"\s*(?:[-*]\s+|:param\s+(?:[\w.\[\]]+\s+)?)?[`*]*{re.escape(name)}[`*]*"
        r"\s*(?:\(.*?\)+)?\s*:(?!:)(.*)"
    )
    for number, line in enumerate(lines):
        match = head.match(line)
        if match is None:
            continue
        depth = len(line) - len(line.lstrip())
        under = [match[1]]
        for other in lines[number + 1 :]:
            if other.strip() and len(other) - len(other.lstrip()) <= depth:
                break
            under.append(other)
        return "\n".join(under)
    return ""


def _of_entry(text: str) -> Iterable[int]:
    """The numbers of axes that the description of one parameter speaks of."""
    announced = [count for match in _SHAPE.finditer(text) if (count := _announced(match))]
    if announced:
        return announced + [_parts(match[1]) for match in _OTHERWISE.finditer(text)]
    listed = [count for match in _PLAIN.finditer(text) if (count := _listed(match[1]))]
    # Two sizes that nothing calls a shape may be what one of many rows is like.
    listed = [count for count in listed if count > 2]
    return listed or [int(match[1]) for match in _COUNTED.finditer(text)]


def _named(text: str, name: str) -> Iterable[int]:
    """The numbers of axes that a line gives a parameter that it names."""
    said = re.escape(name)
    about = re.search(
        rf"(?<![\w.])[`'\"]?{said}[`'\"]?(?:\.shape|\s+has\s+(?:a\s+)?shape|\s+shape|'s\s+shape)"
        rf"\s*[:=is]*\s*{_BRACKET}|\bshape\s+of\s+[`'\"]?{said}[`'\"]?\s*(?::|is)\s*{_BRACKET}",
        text,
        re.IGNORECASE,
    )
    if about is not None:
        count = _parts(about[1] or about[2])
        return [count] if count else []
    counted = re.search(rf"(?<![\w.]){said}\s*:\s*([1-6])-?D\b(?!\s+or)", text)
    return [] if counted is None else [int(counted[1])]


def _announced(match: re.Match[str]) -> int:
    return _parts(match[1] or match[2])


def _listed(inner: str) -> int:
    """The number of sizes in a bracket that nothing announces as a shape; 0 if it is none."""
    parts = _split(inner)
    if len(parts) < 2 or not all(_COMPONENT.fullmatch(part) for part in parts):
        return 0
    sizes = [looks_like_size(word) for part in parts for word in _WORD.findall(part)]
    return len(parts) if sizes and sum(sizes) * 2 > len(sizes) else 0


def _parts(inner: str) -> int:
    parts = _split(inner)
    return 0 if any(not part or part in ("...", "*") for part in parts) else len(parts)


def _split(inner: str) -> list[str]:
    text = inner.strip().strip("`'\"").rstrip(",")
    parts = text.split(",") if "," in text else _SEPARATOR.split(text)
    return [part.strip() for part in parts]
