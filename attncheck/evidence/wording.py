"""Tells a shape in prose, ``(B, T, d)``, from everything else that people put in brackets.

A false claim causes a false alarm, so the text decides nothing by itself: without the word
``shape`` before it every name must be one that sizes have, and lists of numbers, citations, ranges
and tuples of values are no shapes.
"""

from __future__ import annotations

import re
from typing import Final

from attncheck.algebra.notation import CROSS
from attncheck.evidence.dimensions import table_symbol

#: Characters that a shape in prose may take; longer brackets are not read.
LONGEST: Final = 120

#: A bracket without another in it: for putting into larger patterns.
BRACKET: Final = rf"(?:\([^()\[\]{{}}\n]{{1,{LONGEST}}}\)|\[[^()\[\]{{}}\n]{{1,{LONGEST}}}\])"

#: A name may be that of an attribute: ``decoder.hidden_size``.
_FACTOR: Final = r"(?:[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*|[0-9]+)"
_COMPONENT: Final = re.compile(rf"\.\.\.|\*|\*?{_FACTOR}(?:\s*(?:\*|\+|-|//)\s*{_FACTOR})*")
_NAME: Final = re.compile(r"[A-Za-z_]\w*")
#: What a name stands for: of an attribute, its own name.
_OWN_NAME: Final = re.compile(r"[A-Za-z_]\w*(?![\w.])")


def words(text: str) -> frozenset[str]:
    """The words of `text`, as a set."""
    return frozenset(text.split())


#: Words that, as a part of a name, say that it counts or measures something.
_SIZE_WORDS: Final = words(
    """
    batch batches bs bsz seq seqs sequence len length lengths lens dim dims dimension size sizes
    time times steps step timesteps frames head heads nhead nheads channel channels feature features
    feat feats hidden hid embed embedding embeddings emb vocab vocabulary token tokens height width
    layer layers classes labels samples words sentence sentences positions patches directions groups
    windows units experts neurons nodes edges depth points atoms bins beams beam num slots regions
    pixels cities hops objects entities chunks filters candidates agents mels
    nh hs hd dh dk dv dq ff ffn
    """
)
#: Those that as often name the values themselves: ``(features, labels)``, ``(hidden, cell)``.
_VALUE_WORDS: Final = words(
    """
    labels lengths lens tokens words samples sentence sentences features feats embedding embeddings
    emb positions hidden classes height width neurons nodes edges points atoms frames patches slots
    regions pixels cities hops objects entities chunks filters candidates agents mels
    """
)
_MANY: Final = words("labels lengths lens tokens words samples sentences frames patches")
_PREFIXED: Final = re.compile(r"(?:d|n|t|num|dim|len|max)_\w+|[BCDHLNST](?:_\w+|[0-9a-z][0-9]?)")
_TWO_CAPITALS: Final = re.compile(r"[BCDEHLMNSTW]{2}|[BCDEHLMNST][0-9]")
#: Letters that are sizes in their own right, and those that are so beside others only.
_LETTERS: Final = frozenset("bcdefhlmnstwBCDEFHLMNSTW")
_VAGUE_LETTERS: Final = frozenset("ijkgopqruvAGIJKOPQRUVXYZ")

#: Names that sizes never have, or that stand for other things more often.
_NO_SIZES: Final = words(
    """
    optional required default defaults tensor tensors array arrays ndarray list tuple dict set int
    integer float bool boolean str string none true false null see above below eg ie etc
    inclusive exclusive left right mean std var min max lower upper start stop end first last both
    same any all each other others the an of or and in on to for with from is are not no yes if
    key keys value values query queries mask masks row rows col cols column columns index indices
    callable object function type dtype device cpu cuda todo fixme note nb id ids name names
    x y z xs ys
    figure fig eq equation section sec chapter table page paper appendix et al vol
    CLS SEP PAD BOS EOS UNK MASK SOS GPU CPU TPU API URL NB OK NO YES TODO FIXME XXX NOTE NA
    """
)

#: Tuples of values whose members look like sizes one by one.
_TUPLES: Final = frozenset(
    tuple(letters) for letters in words("hc ch hw wh HW WH ht th se fn mn nm Wb wb HC NSEW")
)


def components(text: str) -> tuple[str, ...] | None:
    """The sizes in a bracketed list of names, numbers, products and ``...``; None if it is none.

    A list of one wants its comma, ``(T,)``, or square brackets. ``(2 x d)`` is as likely a product.
    """
    inner = text[1:-1].strip()
    single = inner.endswith(",")
    parts = [part.strip() for part in inner.rstrip(",").split(",")]
    if len(parts) == 1 and not single:
        parts = CROSS.split(inner)
        if len(parts) == 2 and any(part.isdigit() for part in parts):
            return None
    if len(parts) == 1 and not single and text[0] == "(":
        return None
    if not all(_COMPONENT.fullmatch(part) for part in parts):
        return None
    return tuple(parts)


def is_shape(text: str, *, announced: bool = False) -> bool:
    """Whether a bracket in prose is a shape.

    ``announced`` says that the word ``shape`` stands before it; then one name needs no comma, and
    only names that are certainly no sizes speak against it.
    """
    inner = text[1:-1].strip()
    if _may_be_axes(inner):
        return False
    if announced and _COMPONENT.fullmatch(inner):
        parts: tuple[str, ...] | None = (inner,)
    else:
        parts = components(text)
    if parts is None:
        return False
    names = [name for part in parts for name in _NAME.findall(part)]
    if any(name in _NO_SIZES or name.lower() in _NO_SIZES for name in names):
        return False
    if announced:
        return inner not in ("...", "*", "0")
    own = [name for part in parts for name in _OWN_NAME.findall(part)]
    return parts not in _TUPLES and _sizes_all(parts, own)


def _may_be_axes(inner: str) -> bool:
    """Whether a product without a comma, ``[B*T*H]``, may as well list axes as multiply them."""
    return "," not in inner and "*" in inner.lstrip("*")


def _sizes_all(parts: tuple[str, ...], names: list[str]) -> bool:
    """Whether every name is one that sizes have, and most are more than letters of an index."""
    if "0" in parts or not names:
        return False
    vague = sum(name in _VAGUE_LETTERS for name in names)
    told = sum(looks_like_size(name) for name in names)
    if told + vague != len(names) or told <= vague * (len(parts) < 3):
        return False
    return told > 0 and not _small_pair(parts) and not _values(names)


def _values(names: list[str]) -> bool:
    """Whether the names may be a tuple of values: all of them, or one beside a ``batch``."""
    values = [name for name in names if _is_value(name)]
    if len(names) != 2 or len(values) != 1:
        return len(values) == len(names)
    return "batch" in names and values[0] in _MANY


def _is_value(name: str) -> bool:
    return not _PREFIXED.fullmatch(name) and name.lower().rpartition("_")[2] in _VALUE_WORDS


def _small_pair(parts: tuple[str, ...]) -> bool:
    """Whether two small letters stand there without the b or the d that would make them sizes."""
    if len(parts) > 2 or not all(len(part) == 1 and part.islower() for part in parts):
        return False
    return not {"b", "d"} & set(parts)


def looks_like_size(name: str) -> bool:
    """Whether a name, taken alone, reads as a size: ``T_enc``, ``B``, ``batch``, ``hidden_dim``."""
    if len(name) == 1:
        return name in _LETTERS
    if table_symbol(name) is not None or _TWO_CAPITALS.fullmatch(name):
        return True
    if _PREFIXED.fullmatch(name):
        return True
    return any(part in _SIZE_WORDS for part in name.lower().split("_"))
