"""Which libraries of arrays a file imports, and so whose arrays its unseen arguments may be."""

from __future__ import annotations

import functools
import re
from typing import Final

#: The libraries whose arrays have methods that are modelled, and how their import is spelled.
_IMPORTS: Final = {
    "torch": ("torch",),
    "numpy": ("numpy",),
    "jax": ("jax", "flax"),
    "tensorflow": ("tensorflow", "keras", "tf_keras"),
}
_OTHERS: Final = ("cupy", "mxnet")


@functools.lru_cache(maxsize=128)
def array_libraries(text: str) -> tuple[str, ...]:
    """The libraries whose arrays a file's unseen arguments may be.

    None where a library is imported that is not modelled: its arrays have the same methods with
    other meanings.
    """
    if any(name in text for name in _OTHERS) and _imports(*_OTHERS).search(text):
        return ()
    return tuple(
        library
        for library, names in _IMPORTS.items()
        if any(name in text for name in names) and _imports(*names).search(text)
    )


@functools.cache
def _imports(*names: str) -> re.Pattern[str]:
    """What imports one of these modules, alone or behind others, or something from it."""
    one = f"(?:{'|'.join(names)})\\b"
    others = r"(?:[\w.]+(?:[ \t]+as[ \t]+\w+)?[ \t]*,[ \t]*)*"
    return re.compile(rf"^\s*(?:from\s+{one}|import\s+{others}{one})", re.MULTILINE)
