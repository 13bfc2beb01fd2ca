"""How deeply a text is nested, measured without a parser.

libcst 1.9 on the usual 8 MB stack dies of about 1,200 nested brackets or 3,200 chained calls, and
needs 4 kB and 10 µs for each bracket times its depth. The limits keep a tenfold distance from the
first and bound the sum of the second; code that people write does not come near them.
"""

from __future__ import annotations

import re
from typing import Final

from attncheck.record import record

MAX_DEPTH: Final = 100
MAX_CHAIN: Final = 500
MAX_WORK: Final = 1_000_000

#: Brackets count for the work they cause beside a chain's link.
_BRACKET_WORK: Final = 10
#: Nesting and chains up to here are everyday code and cost nothing to speak of.
_EVERYDAY_DEPTH: Final = 6
_EVERYDAY_CHAIN: Final = 20

_REFUSED: Final = ", which is more than can be parsed safely"

_TOKEN: Final = re.compile(
    r"""
    \#[^\r\n]*+
    | (?P<prefix>[A-Za-z]{0,2}) (?P<string>
        \"\"\" (?:[^"\\]++|\\.|"(?!""))*+ \"\"\"
      | ''' (?:[^'\\]++|\\.|'(?!''))*+ '''
      | " (?:[^"\\\r\n]++|\\.)*+ "
      | ' (?:[^'\\\r\n]++|\\.)*+ ')
    | (?P<open>[(\[{])
    | (?P<close>[)\]}])
    | (?P<end>[,;])
    | (?P<newline>(?:\r\n?|\n)(?P<indent>[ \t\f]*+)(?P<branch>(?:el)?if\b)?)
    | \\(?:\r\n?|\n)
    | (?P<link>[.+\-*/%@&|^~]|\b(?:not|and|or|if|lambda|await|for)\b)
    | [A-Za-z_0-9]++
    """,
    re.VERBOSE | re.DOTALL,
)


@record
class TooDeep:
    """What is nested too deeply, and the offset at which it becomes so."""

    message: str
    offset: int


#: What `is_everyday` lets pass: signs in a row of lines that hang together, and ``elif`` in a file.
_EVERYDAY_SIGNS: Final = 120
_EVERYDAY_BRANCHES: Final = 60
_EVERYDAY_BRACKETS: Final = 12
_EVERYDAY_WORK: Final = 20_000
#: A line up to here holds no more than a dozen words that chain.
_SHORT: Final = 60
#: Deletes the signs of operators, quotes and opening brackets.
_NO_SIGNS: Final = str.maketrans("", "", ".+-*/%@&|^~\"'([{")
_WORDS: Final = (" not ", " and ", " or ", " if ", " for ", "lambda", "await ")


def is_everyday(text: str) -> bool:
    """Whether a quick look shows that nothing is nested or chained to speak of.

    Lines that brackets (in strings and comments too) tie together count as one; where that is no
    everyday sum, the exact scan decides.
    """
    if text.count("elif") > _EVERYDAY_BRANCHES:
        return False
    depth = signs = brackets = work = 0
    for line in text.split("\n"):
        count = line.count
        opened = count("(") + count("[") + count("{")
        closed = count(")") + count("]") + count("}")
        signs += len(line) - len(line.translate(_NO_SIGNS))
        # Words chain as well; a short line counts as one, for the few that it can hold.
        signs += sum(map(count, _WORDS)) if len(line) > _SHORT else 1
        if signs > _EVERYDAY_SIGNS:
            return False
        depth += opened - closed
        brackets += opened
        if depth <= 0 and not line.endswith("\\"):
            # Brackets in a row may all be nested, and cost their square.
            work += brackets * brackets if brackets > _EVERYDAY_BRACKETS else 0
            if work > _EVERYDAY_WORK:
                return False
            depth = signs = brackets = 0
    return True


def too_deep(text: str) -> TooDeep | None:
    """What in `text` is too much for libcst, token by token; None if nothing is.

    Brackets nest; what stands between two commas of one bracket is a chain with a link for each
    operator, string and closed bracket; an ``if`` with its ``elif`` lines is a chain as well.
    """
    chains = [0]  # the links so far in each open bracket, and outside
    links = work = 0
    branches: dict[str, int] = {}
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind is None or (kind == "newline" and len(chains) > 1):
            continue
        if kind == "open":
            chains.append(0)
            if len(chains) > _EVERYDAY_DEPTH:
                work += _BRACKET_WORK * len(chains)
        elif kind in {"newline", "end"}:
            links -= chains[-1]
            chains[-1] = 0
            if token["branch"] is not None and _count_branch(branches, token) > MAX_CHAIN:
                return TooDeep(f"more than {MAX_CHAIN} elif branches{_REFUSED}", token.end())
        else:
            if kind == "close" and len(chains) > 1:
                links -= chains.pop()
            chains[-1] += 1
            links += 1
            if links > _EVERYDAY_CHAIN:
                work += links
        if len(chains) > MAX_DEPTH + 1:
            return TooDeep(f"brackets nested more than {MAX_DEPTH} deep{_REFUSED}", token.start())
        if links > MAX_CHAIN:
            message = f"one expression of more than {MAX_CHAIN} operations{_REFUSED}"
            return TooDeep(message, token.start())
        if work > MAX_WORK:
            return TooDeep(f"too many deeply nested expressions{_REFUSED}", token.start())
    return None


def _count_branch(branches: dict[str, int], token: re.Match[str]) -> int:
    """The number of ``elif`` lines in a row at this line's indentation, itself included."""
    count = branches.get(token["indent"], 0) + 1 if token["branch"] == "elif" else 0
    branches[token["indent"]] = count
    return count
