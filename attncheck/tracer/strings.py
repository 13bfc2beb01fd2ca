"""String literals without their quotes, where that is all there is to them."""

from __future__ import annotations


def plain_string(literal: str) -> str | None:
    """What a string literal says if it has neither a prefix nor a backslash, else None.

    Nearly every string is plain, and evaluating it as Python does is a hundred times as dear.
    """
    quote = literal[0]
    if quote not in "'\"" or "\\" in literal:
        return None
    return literal[3:-3] if literal.startswith(quote * 3) and len(literal) > 5 else literal[1:-1]
