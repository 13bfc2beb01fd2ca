"""The keys that jax draws random numbers with: none of them is an array to compute with."""

from __future__ import annotations

from attncheck.operators.call import Call
from attncheck.operators.events import Outcome
from attncheck.values.value import Scalar, Sequence

#: Keys are known one by one up to this many.
_MOST = 16
_KEY = Scalar("key")


def key(call: Call) -> Outcome:
    """PRNGKey, fold_in: one key."""
    return Outcome(_KEY)


def split(call: Call) -> Outcome:
    """As many keys as ``num`` says; of a tuple of sizes nothing is known."""
    count = call.size("num")
    if count is None:
        return call.unknown()
    if count.number is not None and 0 <= count.number <= _MOST:
        return Outcome(Sequence((_KEY,) * count.number))
    return Outcome(Sequence(None, element=_KEY, length=count))
