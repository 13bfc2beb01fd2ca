"""What a docstring says the elements of a mask mean: ``1 for tokens to attend to, 0 for padding``.

A clause tells where it has one value (``True``, ``0``, ``ones``) and what becomes of the positions
that have it: they are masked, ignored, padding; or attended to, kept, valid. Clauses that disagree,
and masks that are added (``-inf``), tell nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final

from attncheck.evidence.docstrings import descriptions
from attncheck.record import record


@record
class MaskClaim:
    """What prose says of a mask: whether true hides a position, in which words, and ``where``."""

    hides: bool
    words: str
    where: str = "the docstring"


_CLAUSE: Final = re.compile(
    r"[,;:()\[\]/|]|\.\s|\.$|\s[-*+•]+\s|\b(?:while|whereas|and|but|otherwise|or)\b"
    r"|\s(?=(?:[01]|true|false)\s*=)",
    re.IGNORECASE,
)
_TRUE: Final = r"true|1s?|ones|non-?zeros?"
_FALSE: Final = r"false|0s?|zeros?"
_VALUE: Final = re.compile(
    rf"(?:\b(?P<counted>dim(?:ension)?s?|axis|size|rank|length|layer|step)\s+)?"
    rf"(?<![\w.+-])(?:(?P<true>{_TRUE})|(?P<false>{_FALSE}))(?![\w.])",
    re.IGNORECASE,
)
_NOT: Final = (
    r"(?P<not>\b(?:not|never|cannot|can't|don't|won't|isn't|aren't|no|non)[\s-]*"
    r"(?:(?:be|to|should|allowed|a|the)\s+)*)?"
)
#: What becomes of a position, after what may take it back.
_HIDDEN: Final = (
    r"masked(?:[\s-]*out)?|to\s+(?:be\s+)?mask(?:ed)?|mask\s+out|padd?(?:ing|ed|s)?(?!\s+mask)|ignored?|invalid"
    r"|hidden(?!\s+(?:state|size|dim|layer|unit))|hide|drop(?:ped)?|blocked|excluded?|disallowed|forbidden|prevented|disabled"
)
_SEEN: Final = (
    r"valid|kept|keep|attend(?:ed|s|able)?|visible|allowed|real|actual|unchanged|included?|unmasked"
)
_FATE: Final = re.compile(rf"{_NOT}\b(?:(?P<hidden>{_HIDDEN})|(?P<seen>{_SEEN}))\b", re.IGNORECASE)
#: ``True where there is a token``: what is not taken back is no padding.
_TOKEN: Final = re.compile(
    r"(?:where\s+there\s+(?:is|are)|for|on|at)\s+(?:(?:an?|the|every|each|all)\s+)?(?:tokens?|words?)\s*$",
    re.IGNORECASE,
)
#: That masks of floats are added says nothing of the others.
_OF_FLOATS: Final = re.compile(r"[^.]*\bfloat[^.]*\badded\b[^.]*\.?", re.IGNORECASE)
#: Masks that are added to scores, and what is no mask of positions.
_DOUBT: Final = re.compile(
    r"-\s*inf|-1e|-10{3}|infinity|\badditive|\badded|large\s+negative|finfo", re.IGNORECASE
)

#: A parameter whose name says that it is a mask.
_NAMED: Final = re.compile(r"mask|pad|valid", re.IGNORECASE)
#: What ties a description to the name before it: brackets, a colon, ``is``.
_TELLS: Final = re.compile(r"`{0,2}\s*(?:\([^()]*\)|\[[^\[\]]*\])?\s*(?::|=|is\b|--?\s|,\s)")
_SENTENCE_END: Final = re.compile(r"\.\s|\n[ \t]*\n")


def mask_claims(docstring: str, parameters: Collection[str]) -> dict[str, MaskClaim]:
    """What a docstring says of each parameter that it describes as a mask."""
    found = {}
    for names, text in descriptions(docstring, parameters):
        told = read_mask(_up_to_another(text, names, parameters))
        if told is not None:
            found.update(dict.fromkeys(names, told))
    return {**_within_sentences(docstring, parameters), **found}


def _within_sentences(text: str, parameters: Collection[str]) -> dict[str, MaskClaim]:
    """What stands behind the name of a mask in its sentence: ``mask (B, T): 1 for padding``.

    Of a mask that is named once: else it may be told of under conditions.
    """
    found = {}
    for name in filter(_NAMED.search, parameters):
        behind = re.split(rf"\b{re.escape(name)}\b", text)
        if len(behind) != 2 or not _TELLS.match(behind[1]):
            continue
        sentence = _SENTENCE_END.split(behind[1])[0]
        told = read_mask(_up_to_another(sentence, (name,), parameters))
        if told is not None:
            found[name] = told
    return found


def _up_to_another(text: str, names: Collection[str], parameters: Collection[str]) -> str:
    """A description as far as another parameter is not described in turn."""
    others = "|".join(re.escape(each) for each in parameters if each not in names)
    return re.split(rf"\b(?:{others})`{{0,2}}\s*[(\[:=]", text)[0] if others else text


def read_mask(text: str) -> MaskClaim | None:
    """Whether true (or 1) hides a position, as a description says; None if it does not say."""
    text = _OF_FLOATS.sub("", text)
    if _DOUBT.search(text):
        return None
    found = []
    for clause in _CLAUSE.split(text):
        told = None if clause is None else _of_clause(clause)
        if told is not None:
            found.append((told, " ".join(clause.split())))
    return MaskClaim(*found[0]) if found and len({told for told, _ in found}) == 1 else None


def _of_clause(clause: str) -> bool | None:
    """Whether a clause says that true hides a position."""
    values = {
        match["true"] is not None for match in _VALUE.finditer(clause) if match["counted"] is None
    }
    hidden = {
        (match["hidden"] is not None) != (match["not"] is not None)
        for match in _FATE.finditer(clause)
    }
    if not hidden and _TOKEN.search(clause):
        hidden = {False}
    if len(values) != 1 or len(hidden) != 1:
        return None
    return values.pop() == hidden.pop()
