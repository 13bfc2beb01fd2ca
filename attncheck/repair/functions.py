"""Transposes, reshapes and new axes as functions, for arrays that have no methods for these.

TensorFlow's tensors are changed by functions of ``tf``, or of Keras' ``ops`` or ``K``: by those of
the module that the file imports, under the name that it gives it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import Final

from attncheck.checks.view import View
from attncheck.record import record

#: How files import modules of such functions, the one that is asked first in front.
_IMPORTS: Final = (
    ("tf", re.compile(r"^import tensorflow(?:\.compat\.v[12])? as (\w+)", re.MULTILINE)),
    ("tf", re.compile(r"^import (tensorflow)\s*$", re.MULTILINE)),
    ("ops", re.compile(r"^from keras import (?:.*\b)?(ops)\b", re.MULTILINE)),
    ("ops", re.compile(r"^from keras\.src import (?:.*\b)?(ops)\b", re.MULTILINE)),
    ("ops", re.compile(r"^import (keras)\s*$", re.MULTILINE)),
    (
        "K",
        re.compile(
            r"^(?:from (?:tensorflow\.)?keras import |import (?:tensorflow\.)?keras\.)"
            r"backend as (\w+)",
            re.MULTILINE,
        ),
    ),
)


@record
class Module:
    """A module of functions of arrays: its name in the file, and whose functions it has."""

    name: str
    kind: str

    def permuted(self, code: str, order: Sequence[int]) -> str:
        """An array with its axes in another order."""
        axes = ", ".join(map(str, order))
        given = f"perm=[{axes}]" if self.kind == "tf" else f"({axes})"
        function = "permute_dimensions" if self.kind == "K" else "transpose"
        return f"{self.name}.{function}({code}, {given})"

    def exchanged(self, code: str, first: int, second: int, rank: int) -> str:
        """An array with two of its axes exchanged; both of a matrix by a plain transpose."""
        if rank == 2:
            return f"{self.name}.transpose({code})"
        order = list(range(rank))
        order[first], order[second] = order[second], order[first]
        return self.permuted(code, order)

    def reshaped(self, code: str, sizes: Sequence[str]) -> str:
        """An array drawn anew."""
        return f"{self.name}.reshape({code}, ({', '.join(sizes)}{',' * (len(sizes) == 1)}))"

    def with_axis(self, code: str, axis: int) -> str:
        """An array with an axis of size 1 put in."""
        return f"{self.name}.expand_dims({code}, {axis})"

    def reversed(self, code: str, axis: int) -> str:
        """An array with the elements along an axis in reversed order."""
        if self.kind == "ops":
            return f"{self.name}.flip({code}, axis={axis})"
        return f"{self.name}.reverse({code}, [{axis}])"


@functools.lru_cache(maxsize=8)
def _module(text: str) -> Module:
    for kind, form in _IMPORTS:
        found = form.search(text)
        if found is not None:
            name = f"{found[1]}.ops" if found[1] == "keras" else found[1]
            return Module(name, kind)
    return Module("tf", "tf")


def module_for(view: View, library: str | None) -> Module | None:
    """The module for arrays of a library; None for arrays that have methods of their own."""
    return _module(view.source.text) if library == "tensorflow" else None
