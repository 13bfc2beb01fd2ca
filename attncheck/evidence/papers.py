"""Which paper's attention a text says it follows: Bahdanau's or Luong's.

Bahdanau et al. 2015, "Neural Machine Translation by Jointly Learning to Align and Translate",
section 3.1, scores with s_{t-1} by a sum under tanh; Luong et al. 2015, "Effective Approaches to
Attention-based Neural Machine Translation", section 3.1, with s_t by a product.
"""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

Paper: TypeAlias = Literal["bahdanau", "luong"]

_SCORES: Final = r"[\W_]*(?:products?[\W_]*)?(?:attention|attn|score|scoring|align)"
_WORDS: Final[dict[Paper, re.Pattern[str]]] = {
    "bahdanau": re.compile(r"bahdanau|additive", re.IGNORECASE),
    "luong": re.compile(rf"luong|multiplicative|(?:\b|_)(?:dot|general){_SCORES}", re.IGNORECASE),
}
#: Where a name in capitals has its next word: ``DotAttention``.
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def papers_named(text: str) -> dict[Paper, str]:
    """The papers that a name or a sentence speaks of, each with the first word that does."""
    spaced = _CAMEL.sub("_", text)
    found = {paper: words.search(text) or words.search(spaced) for paper, words in _WORDS.items()}
    return {paper: match[0].strip() for paper, match in found.items() if match is not None}
