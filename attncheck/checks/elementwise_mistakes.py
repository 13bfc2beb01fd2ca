"""The kinds of mistakes of elementwise operations, and what a diagnosis of one says."""

from __future__ import annotations

import enum

from attncheck.checks.report import Culprit, Sizes
from attncheck.record import record


class Kind(enum.Enum):
    """What kind of mistake an elementwise operation is."""

    LOST_KEEPDIM = "lost keepdim"
    OUTER = "outer"
    MISALIGNED = "misaligned"
    MISMATCH = "mismatch"


@record
class Diagnosis:
    """The mistake, the operand to blame and the shape it should have."""

    kind: Kind
    culprit: Culprit
    expected: Sizes | None
    derivation: str
    #: the operands' sizes before the operation took some to be one
    before: tuple[Sizes, Sizes] | None = None
