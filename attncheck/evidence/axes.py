"""What an axis counts by the name of its size: sequences of a batch, or positions in time."""

from __future__ import annotations

import re
from typing import Final, Literal, TypeAlias

from attncheck.algebra.size import Size
from attncheck.evidence.dimensions import table_symbol

Counts: TypeAlias = Literal["batch", "time"]

_BATCH: Final = re.compile(
    r"b|bs|bsz|(?:n|num|cur|current|this|the|my)?_?batch(?:_?(?:size|sz|len))?|batches",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    r"(?:(?:src|tgt|trg|source|target|max|n|num|enc|dec|input|output|query|key|q|k|kv)_?)*"
    r"(?:t|seq|sequence|sent|sentence|time|timesteps?|time_steps?|steps?|tokens?|frames?|words?|"
    r"patches|positions?|length|len)"
    r"(?:_?(?:len|length|steps?|size|num|enc|dec|max))?",
    re.IGNORECASE,
)
#: Sides of an image, which count positions where they are merged: ``h * w``.
_SIDES: Final = frozenset({"h", "w", "H", "W", "height", "width", "Hp", "Wp"})
_TABLE: Final[dict[str, Counts]] = {"batch_size": "batch", "T_enc": "time", "T_dec": "time"}


def counts(size: Size | None) -> Counts | None:
    """What a size counts by its name; None if it does not say, or says several things.

    What a batch is merged with is a batch: ``B * n_heads``. Sides of an image are positions.
    """
    if size is None or size.number is not None:
        return None
    names = [symbol.name for symbol in size.symbols()]
    said = {_counts_of(name) for name in names}
    if "batch" in said:
        return "batch" if size.symbol is not None or "time" not in said else None
    if said == {"time"} or (len(names) > 1 and _SIDES.issuperset(names)):
        return "time"
    return None


def _counts_of(name: str) -> Counts | None:
    table = _TABLE.get(table_symbol(name) or "")
    if table is not None:
        return table
    if _BATCH.fullmatch(name):
        return "batch"
    return "time" if _TIME.fullmatch(name) else None
