"""Shapes in docstrings: numpy, Google and reST fields, and the plain ``x: (B, T)`` of free text.

``Input: (B, T)`` tells of the one argument that has to be given.

A bracket counts only where one of these forms ties it to a parameter, or to a result, and where
nothing near it takes it back (``or``, ``if batch_first``). Two claims about one parameter that
differ are none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import field
from typing import Final

from attncheck.algebra.notation import parse_shape
from attncheck.algebra.shape import Shape
from attncheck.algebra.size import Symbol
from attncheck.evidence.wording import BRACKET, components, is_shape, words
from attncheck.record import record, replace


@record
class DocClaim:
    """A shape as a docstring writes it, in brackets, and where: the file's line, and its text.

    ``name`` is the parameter, or what a result is called there (None: it is not).
    """

    name: str | None
    shape: str
    line: int
    words: str

    def read(self, symbol: Callable[[str], Symbol]) -> Shape | None:
        """The claimed shape over the caller's symbols; None if the notation does not carry it."""
        return parse_shape(self.shape, symbol)


@record
class DocClaims:
    """What one docstring claims: of parameters, and of the results, in order.

    ``returns`` holds None for a result without a stated shape, so that positions stay right; it is
    empty where the results cannot be told apart.
    """

    parameters: dict[str, DocClaim] = field(default_factory=dict)
    returns: tuple[DocClaim | None, ...] = ()


@record
class _Entry:
    """A line that introduces something, and the deeper lines under it."""

    line: int
    indent: int
    text: str
    under: str


_TYPE: Final = (
    r"(?:(?:torch|np|numpy|jnp|tf)\.)?"
    r"(?:(?:float|int|long|bool|byte)?[ ]?tensors?|(?:float|int|2-?d|3-?d|4-?d)?[ ]?arrays?"
    r"|nd-?array|array[-_]like|matrix|vector)"
)
_SHAPE_WORD: Final = r"(?:(?:of|with|in|has|having)\s+)?(?:the\s+)?(?:shapes?|sizes?)"
#: ``Tensor of shape (B, T)``, ``ndarray, shape (B, T)``, ``(B, T)``, at the start of a description.
_LEADING: Final = re.compile(
    rf"(?:{_TYPE}\s*[,:]?\s*)?(?P<told>{_SHAPE_WORD}\s*(?:is|are|[:=])?\s*)?(?P<shape>{BRACKET})",
    re.IGNORECASE,
)
#: ``..., of shape (B, T)``, anywhere in a description.
_ANNOUNCED: Final = re.compile(
    rf"\b(?:shape|of\s+size)\s*(?:is|[:=])?\s*(?P<shape>{BRACKET})",
    re.IGNORECASE,
)
#: ``encoder vectors (B, T, d)``: a few words that say what a tensor holds, and nothing behind. Two
#: names may as well be what the thing consists of.
_CLOSING: Final = re.compile(rf"(?P<told>(?:[\w/-]+\s+){{1,6}})(?P<shape>{BRACKET})\.?")
_HELD: Final = re.compile(
    r"\b(?:tensors?|arrays?|vectors?|matrix|matrices|keys?|values?|query|queries|states?|masks?"
    r"|embeddings?|inputs?|outputs?|scores?|weights?|features?|memory|memories|contexts?|logits"
    r"|activations?|representations?|annotations?|sequences?|tokens?)\b",
    re.IGNORECASE,
)
#: What says that numbers are meant, and not a tensor that has so many elements.
_COUNTED: Final = re.compile(
    r"\b(?:sizes?|shapes?|dims?|dimensions?|dimensionality|number|how|count|resolution|kernel|axes"
    r"|axis|order|layout|format|ratio|rate|range|sides?|width|height|length)\b",
    re.IGNORECASE,
)
#: What takes a shape back, makes it one of several, or gives it to something else.
_DOUBT: Final = re.compile(
    r"\b(?:or|if|when|unless|either|otherwise|else|depending|depends|transposed?|flat\w*"
    r"|for example|e\.g|respectively|before|after|optionally|each|lists?|tuples?|dict(?:ionary)?"
    r"|pairs?|functions?|callable|returns?|returning|reshaped?|must|should"
    r"|(?:output|target|final|desired|new|original)\s+(?:has\s+)?(?:shape|size))\b|->|→",
    re.IGNORECASE,
)
#: A type that is no tensor's, at the start of a description.
_NO_TENSOR: Final = re.compile(
    rf"(?!{_TYPE}\b)(?:int|integer|float|str|string|bool|boolean|set|optional\[)\b", re.IGNORECASE
)
#: What a type in brackets after the name may be: nothing else describes a tensor.
_TENSOR_TYPE: Final = re.compile(r"tensor|array|^\s*optional\s*$", re.IGNORECASE)
#: Words that stand before a shape in a sentence and are not the result's name.
_NOT_NAMES: Final = words(
    "tensor tensors array arrays ndarray numpy float int matrix vector shape size "
    "and or the a an of"
)
_NAMES: Final = r"\*{0,2}[A-Za-z_]\w*(?:\s*,\s*\*{0,2}[A-Za-z_]\w*)*"
_FIELD: Final = re.compile(
    rf"[:@](?:param|parameter|arg|argument)\s+(?:[\w.]+\s+)?(?={_NAMES}\s*:)"
)
_ANY_FIELD: Final = re.compile(r"[:@](?P<word>[a-z]+)\b[^:]*:")
_RETURN_FIELD: Final = re.compile(r"[:@]returns?\s*:?\s*")
_RETURN_SENTENCE: Final = re.compile(r"returns?\s*:?\s+(?=\S)", re.IGNORECASE)
#: ``query (B, T, d), key is (B, S, d)``: a sentence that is nothing but shapes of names.
#: Atomic groups: a blank that two parts could take must not be tried in both, item after item.
_IS: Final = r"(?:\s+(?:is|(?:(?:is\s+)?of|has|with)\s+(?:the\s+)?shape)|:)?\s+"
_ITEM: Final = rf"(?>(?:(?:[Tt]he\s+)?[Ii]nputs?\s+)?[A-Za-z_]\w*{_IS}{BRACKET})"
_ITEMS: Final = re.compile(rf"{_ITEM}(?>(?:\s*[,;]\s*|\s*,?\s+and\s+){_ITEM})*")
#: ``Attends over the windows of a signal, x: (B, T, C)``: items with colons behind other words.
_ITEMS_BEHIND: Final = re.compile(
    rf"[^()\[\]:]*\w(?:[,;]|\s+[-–—])\s+(?P<items>[A-Za-z_]\w*:\s*{BRACKET}"
    rf"(?>(?:\s*[,;]\s*|\s*,?\s+and\s+)[A-Za-z_]\w*:\s*{BRACKET})*)\s*"
)
#: ``query and key are (B, T, d)``: one shape for several names.
_ALIKE: Final = re.compile(
    rf"(?P<names>[A-Za-z_]\w*(?:,\s*[A-Za-z_]\w*)*),?\s+and\s+(?P<last>[A-Za-z_]\w*)"
    rf"\s+(?:are(?:\s+both)?|(?:both\s+)?have\s+shape)\s+(?P<shape>{BRACKET})"
)
_ONE_ITEM: Final = re.compile(rf"(?P<name>[A-Za-z_]\w*){_IS}(?P<shape>{BRACKET})")
#: With its group, so that the lines in between are counted.
_PARAGRAPH_END: Final = re.compile(r"(\n[ \t]*\n)")
_SENTENCE_END: Final = re.compile(r"(?<=\.)\s+|\s+(?=Returns?\b|returns?:)")
_TO: Final = re.compile(r"\s*(?:->|→|=>)\s*")
_BULLET: Final = re.compile(r"[-*+•]\s+")
#: A bracket right behind the name is a call unless it is a type: ``x(Tensor): ...``.
_ENTRY: Final = re.compile(
    rf"(?P<names>{_NAMES})(?P<rest>\s*:.*|\s+[(\[].*|\([^()]*\)\s*:.*|\s+-+\s+.*)"
)
#: Backticks, asterisks around a word (not the sign of a power), roles.
_MARKUP: Final = re.compile(r"`+|(?<![\w)*(])(?<!, )\*\*?(?=\w)|(?<=\w)\*\*?(?![\w(*\s])|:math:|\\")
#: ``**query** (B, T)``: stars on both sides of a name are no sign of a power.
_BOLD: Final = re.compile(r"(?<!\w)\*\*(\w+)\*\*(?!\w)")
_SECTION: Final = re.compile(
    r"(?P<name>args?|(?:call )?arguments?|param(?:eter)?s?|other parameters|inputs?|shapes?"
    r"|attributes?|returns?|outputs?|yields?|raises?|examples?|notes?|references?|see also"
    r"|warnings?|usage)"
    r"\s*:{1,2}",
    re.IGNORECASE,
)
#: ``- Input: (N, L, E)``, ``Input shape: (B, T)``: of the one argument that has to be given.
_INPUT: Final = re.compile(r"inputs?(?P<shape>\s+shape)?\s*:+\s*(?=[(\[])", re.IGNORECASE)
_UNDERLINE: Final = re.compile(r"[-=~]{3,}")
#: How many lines a description may have: the shape stands in the first few.
_DEEPEST: Final = 16
_RESULTS: Final = frozenset({"return", "returns", "output", "outputs"})
_INPUTS: Final = words(
    "arg args argument arguments param params parameter parameters input inputs shape shapes"
) | {"other parameters", "call arguments"}
_EVERY_BRACKET: Final = re.compile(BRACKET)
#: One result in a sentence: ``the context (B, d_h)``, ``weights, shape (T_enc,)``.
_RESULT: Final = re.compile(
    rf"(?:(?:the|an?)\s+)?(?:(?P<name>[A-Za-z_]\w*)(?:\s+\w+)?,?\s*)?"
    rf"(?P<told>(?:(?:of|with)\s+)?shape\s*:?\s*)?(?P<shape>{BRACKET})(?:\s+(?P<after>\w+))?",
    re.IGNORECASE,
)
_AND: Final = re.compile(
    r"\s*,?\s+and\s+|\s*[,;]\s*(?!of\b|shape\b)(?=[A-Za-z_]\w*,?\s+(?:of\s+)?(?:shape\s*)?[(\[])"
)


def read_docstring(
    docstring: str, parameters: Collection[str], line: int = 1, only: str | None = None
) -> DocClaims:
    """The claims of a docstring (without its quotes) whose first line is `line` of the file.

    `only` is the parameter that is meant where the docstring speaks of the input.
    """
    if not _has_bracket(docstring):
        return DocClaims()
    found: dict[str, DocClaim | None] = {}
    results: list[_Entry] = []
    for section, entry in _entries(docstring, line):
        if section in _RESULTS:
            results.append(entry)
        elif section is None or section in _INPUTS:
            for claim in _parameter_claims(_of_input(entry, section, only), parameters):
                assert claim.name is not None
                before = found.get(claim.name, claim)
                agrees = before is not None and before.shape == claim.shape
                found[claim.name] = claim if agrees else None
    returns = _result_claims(results)
    for claims, result in _sentences(docstring, parameters, line):
        for name, claim in claims.items():
            found.setdefault(name, claim)
        returns = returns or result
    claimed = {name: claim for name, claim in found.items() if claim is not None}
    return DocClaims(claimed, returns)


def _of_input(entry: _Entry, section: str | None, only: str | None) -> _Entry:
    """An entry of the input, as one of the parameter that is `only` given; another as it is."""
    text = _plain(entry.text)
    found = None if only is None else _INPUT.match(text)
    if found is None:
        return entry
    announced = found["shape"] is not None or section in ("shape", "shapes")
    told = f"{only}: {'shape ' * announced}{text[found.end() :]}"
    return replace(entry, text=told)


def _entries(docstring: str, first: int) -> Iterator[tuple[str | None, _Entry]]:
    """Every line with what is indented under it, and its section (None: it is in none)."""
    lines = docstring.expandtabs().split("\n")
    section: str | None = None
    least = 0
    for index, raw in enumerate(lines):
        text = " ".join(raw.split())
        if not text or text.startswith((">>>", "...")) or _UNDERLINE.fullmatch(text):
            continue
        depth = len(raw) - len(raw.lstrip())
        below = lines[index + 1].strip() if index + 1 < len(lines) else ""
        underlined = _UNDERLINE.fullmatch(below) is not None
        named = _SECTION.fullmatch(text)
        if underlined or named is not None:
            section = text.lower() if named is None else named["name"].lower()
            # Under a title with a line the entries are no deeper than it is.
            least = depth if underlined else depth + 1
            continue
        if section is not None and depth < least:
            section = None
        returned = _RETURN_FIELD.match(text)
        entry = _Entry(
            first + index,
            depth,
            text if returned is None else text[returned.end() :],
            _under(lines, index, depth),
        )
        yield section if returned is None else "returns", entry


def _under(lines: Sequence[str], index: int, depth: int) -> str:
    """The lines below that are indented deeper than `depth`, up to an empty one, as one text."""
    deeper = []
    for raw in lines[index + 1 : index + 1 + _DEEPEST]:
        text = " ".join(raw.split())
        if not text or len(raw) - len(raw.lstrip()) <= depth:
            break
        deeper.append(text)
    return " ".join(deeper)


def descriptions(
    docstring: str, parameters: Collection[str]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """The names of the parameters that a docstring has an entry for, and all that it says there."""
    for section, entry in _entries(docstring, 1):
        form = _form(entry, parameters) if section is None or section in _INPUTS else None
        if form is not None:
            yield _names(form), f"{form['rest'].lstrip(':- ')} {_plain(entry.under)}".strip()


def _form(entry: _Entry, parameters: Collection[str]) -> re.Match[str] | None:
    """An entry read as one of parameters; None if it is of something else."""
    text = _plain(entry.text)
    is_field = _FIELD.match(text)
    if is_field is not None:
        text = text[is_field.end() :]
    elif _ANY_FIELD.match(text):
        return None
    form = _ENTRY.match(text)
    return form if form is not None and all(each in parameters for each in _names(form)) else None


def _names(form: re.Match[str]) -> tuple[str, ...]:
    return tuple(name.strip(" *") for name in form["names"].split(","))


def _parameter_claims(entry: _Entry, parameters: Collection[str]) -> Iterator[DocClaim]:
    if not _has_bracket(entry.text) and not _has_bracket(entry.under):
        return
    form = _form(entry, parameters)
    shape = None if form is None else _described(form["rest"].strip(), _plain(entry.under))
    if form is not None and shape is not None:
        for name in _names(form):
            yield DocClaim(name, shape, entry.line, entry.text)


def _described(rest: str, under: str) -> str | None:
    """The one shape in a description, from what follows the name; `under` continues it."""
    if rest[:1] in ("(", "["):
        inside, after = _balanced(rest)
        whole = rest[: len(inside) + 2]
        if is_shape(whole):
            return None if _doubted(whole, f"{after} {under}") else whole
        if not _TENSOR_TYPE.search(inside) or _DOUBT.search(inside):
            return None
        typed = _only_shape(inside, inside)
        if typed is not None or after[:1] != ":":
            return typed
        rest = after
    description = rest.lstrip(":- ").strip()
    return _only_shape(description, f"{description} {under}")


def _only_shape(start: str, whole: str) -> str | None:
    """The shape that `start` begins with, or that `whole` announces, if it is the only one."""
    if _NO_TENSOR.match(start):
        return None
    leading = _LEADING.match(start)
    candidates = []
    if leading is not None and is_shape(leading["shape"], announced=bool(leading["told"])):
        candidates.append(leading["shape"])
    closing = _CLOSING.fullmatch(start)
    if (
        closing is not None
        and _is_held(closing["told"])
        and len(components(closing["shape"]) or ()) > 2
    ):
        candidates += [closing["shape"]] * is_shape(closing["shape"])
    candidates += [
        found["shape"]
        for found in _ANNOUNCED.finditer(whole)
        if is_shape(found["shape"], announced=True)
    ]
    if len(set(candidates)) != 1 or _doubted(candidates[0], whole):
        return None
    return candidates[0]


def _is_held(told: str) -> bool:
    """Whether words say what a tensor holds, and not what numbers count."""
    return _HELD.search(told) is not None and _COUNTED.search(told) is None


def _doubted(shape: str, text: str) -> bool:
    """Whether the words around `shape` take it back, or have another shape among them."""
    if _DOUBT.search(text):
        return True
    return any(found != shape and is_shape(found) for found in _EVERY_BRACKET.findall(text))


def _balanced(text: str) -> tuple[str, str]:
    """What stands in the bracket that `text` starts with, and what follows it."""
    depth = 0
    for index, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if depth == 0:
            return text[1:index], text[index + 1 :].strip()
    return text[1:], ""


def _result_claims(entries: Sequence[_Entry]) -> tuple[DocClaim | None, ...]:
    """The results: one for each entry at the outermost depth, or those of the one sentence."""
    if not entries:
        return ()
    outermost = min(entry.indent for entry in entries)
    top = [entry for entry in entries if entry.indent == outermost]
    sentence = _sentence(top)
    if sentence:
        return sentence
    if len(top) > 1 and not all(map(_is_named, top)):
        return ()
    claims = [_named_result(entry) for entry in top]
    return tuple(claims) if any(claims) else ()


def _sentence(entries: Sequence[_Entry]) -> tuple[DocClaim | None, ...]:
    """``context (B, d_h) and weights (B, T_enc)``: nothing but results, else nothing."""
    text = _plain(" ".join(f"{entry.text} {entry.under}".strip() for entry in entries))
    return _results_in(text.rstrip("."), entries[0].line, entries[0].text)


def _results_in(text: str, line: int, words: str) -> tuple[DocClaim | None, ...]:
    if _DOUBT.search(text):
        return ()
    claims = []
    for part in _AND.split(text):
        found = _RESULT.fullmatch(part.strip())
        if found is None or not is_shape(found["shape"], announced=bool(found["told"])):
            return ()
        claims.append(DocClaim(_named(found), found["shape"], line, words))
    # Several results without names are as likely the cases of one: ``unbatched (T, d), ...``.
    return () if len(claims) > 1 and any(claim.name is None for claim in claims) else tuple(claims)


def _named(result: re.Match[str]) -> str | None:
    """The name of a result, if what stands there is one and not the start of a sentence."""
    name: str | None = result["name"] or result["after"]
    if name is None or name.lower() in _NOT_NAMES:
        return None
    return None if len(name) > 1 and name.istitle() and "_" not in name else name


def _sentences(
    docstring: str, parameters: Collection[str], first: int
) -> Iterator[tuple[dict[str, DocClaim], tuple[DocClaim | None, ...]]]:
    """The claims of the sentences that are nothing but shapes of names, and those of results."""
    line = first
    for paragraph in _PARAGRAPH_END.split(docstring):
        told = _plain(" ".join(paragraph.split())) if _has_bracket(paragraph) else ""
        for sentence in _SENTENCE_END.split(told):
            text = sentence.rstrip(".")
            returned = _RETURN_SENTENCE.match(text)
            if returned is not None:
                yield {}, _results_in(text[returned.end() :], line, sentence)
                continue
            given, *results = _TO.split(text)
            if not results and not _DOUBT.search(given):
                given = _ITEMS_BEHIND.sub(r"\g<items>", given)
            claims = _items(_ALIKE.sub(_one_by_one, given), line, sentence)
            if claims and all(name in parameters for name in claims):
                yield claims, _results_in(results[0], line, sentence) if len(results) == 1 else ()
        line += paragraph.count("\n")


def _one_by_one(alike: re.Match[str]) -> str:
    """``query (B, T, d), key (B, T, d)`` for ``query and key are (B, T, d)``."""
    names = [*alike["names"].split(","), alike["last"]]
    return ", ".join(f"{name.strip()} {alike['shape']}" for name in names)


def _items(text: str, line: int, words: str) -> dict[str, DocClaim]:
    """``query (B, T, d), key (B, S, d)``, if that is all that `text` says."""
    if not _ITEMS.fullmatch(text):
        return {}
    found = [(item["name"], item["shape"]) for item in _ONE_ITEM.finditer(text)]
    if not all(is_shape(shape) for _, shape in found):
        return {}
    return {name: DocClaim(name, shape, line, words) for name, shape in found}


def _is_named(entry: _Entry) -> bool:
    """Whether a line under the results introduces one, and is not just prose with a bracket."""
    form = _ENTRY.match(_plain(entry.text))
    return form is not None and form["names"].lower() not in _NOT_NAMES


def _named_result(entry: _Entry) -> DocClaim | None:
    """``context : ndarray, shape (d_h,)``, ``weights (Tensor): (B, T)``, ``array, shape (T,)``."""
    text = _plain(entry.text)
    form = _ENTRY.match(text)
    name = None if form is None or "," in form["names"] else form["names"].strip(" *")
    if form is not None and name is not None and name.lower() not in _NOT_NAMES:
        shape = _described(form["rest"].strip(), _plain(entry.under))
        return None if shape is None else DocClaim(name, shape, entry.line, entry.text)
    shape = _only_shape(text, f"{text} {_plain(entry.under)}")
    return None if shape is None else DocClaim(None, shape, entry.line, entry.text)


def _has_bracket(text: str) -> bool:
    return "(" in text or "[" in text


def _plain(text: str) -> str:
    """`text` without bullets and markup."""
    text = _BULLET.sub("", text, count=1) if _BULLET.match(text) else text
    return _MARKUP.sub("", _BOLD.sub(r"\1", text)).strip()
