"""``x.at[key].set(y)``: jax's arrays are not written into, so that this gives a new one.

``x.at`` is a method without a call, ``x.at[key]`` that with the array and the key already given,
and its ``set``, ``add`` and ``get`` are functions of these two and of what is written.
"""

from __future__ import annotations

from attncheck.tracer.machine import Machine
from attncheck.values.tensor import Tensor
from attncheck.values.value import Library, LibraryMethod, Partial, Sequence, Value, as_tensor

AT = "at"
#: The full name under which the tables have the methods of ``x.at[key]``.
_PATH = "jax.Array.at[]"


def has_at(machine: Machine, tensor: Tensor) -> bool:
    """Whether a tensor is, or may be, an array of jax."""
    return "jax" in ((tensor.library,) if tensor.library else machine.evidence.array_libraries)


def at_key(base: Value, key: Sequence) -> Partial | None:
    """``x.at[key]``, or None if `base` is no ``x.at``."""
    if type(base) is not LibraryMethod or base.name != AT or as_tensor(base.receiver) is None:
        return None
    return Partial(Library(_PATH), (base.receiver, key), ())


def updating(base: Partial, name: str) -> Partial | None:
    """``x.at[key].set``, or None if `base` is another function with arguments given."""
    if type(base.callee) is not Library or base.callee.path != _PATH:
        return None
    return Partial(Library(f"{_PATH}.{name}"), base.positional, base.keywords)
