"""The texts of string literals, and of f-strings that are made of texts."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import libcst as cst

from attncheck.values.join import is_text, join_all
from attncheck.values.value import Choice, Const, Scalar, Value

_ANY_TEXT = Scalar("str")


def plain_string(literal: str) -> str | None:
    """What a string literal says if it has neither a prefix nor a backslash, else None.

    Nearly every string is plain, and evaluating it as Python does is a hundred times as dear.
    """
    quote = literal[0]
    if quote not in "'\"" or "\\" in literal:
        return None
    return literal[3:-3] if literal.startswith(quote * 3) and len(literal) > 5 else literal[1:-1]


def formatted(node: cst.FormattedString, evaluate: Callable[[cst.BaseExpression], Value]) -> Value:
    """The text of an f-string, or each text that it may be; any text where a part is not known.

    `node` has no parts where it is made of more than texts and names (see `tree.expressions`).
    """
    if not node.parts or "\\" in "".join(map(_written, node.parts)):
        return _ANY_TEXT
    pieces = [_texts(part, evaluate) for part in node.parts]
    if not all(pieces):
        return _ANY_TEXT
    return join_all([Const("".join(texts)) for texts in itertools.product(*pieces)])


def _written(part: cst.BaseFormattedStringContent) -> str:
    return part.value if isinstance(part, cst.FormattedStringText) else ""


def _texts(
    part: cst.BaseFormattedStringContent, evaluate: Callable[[cst.BaseExpression], Value]
) -> Sequence[str]:
    """What a part of an f-string may say; nothing if that is not known."""
    if isinstance(part, cst.FormattedStringText):
        return [part.value.replace("{{", "{").replace("}}", "}")]
    assert isinstance(part, cst.FormattedStringExpression)
    if type(part.expression) is not cst.Name or part.conversion or part.format_spec:
        return []
    value = evaluate(part.expression)
    options = value.options if type(value) is Choice else (value,)
    if not all(map(is_text, options)):
        return []
    return [str(option.value) for option in options if type(option) is Const]
